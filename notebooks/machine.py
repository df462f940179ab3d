"""What the page on the machine says of it."""

import reckon as rk


@rk.finding
def machine_in_short(machine):
    model, system, kernel = (rk.literal(machine.value(field) or "") for field in ("processor.model", "system.os", "system.kernel"))
    memory = machine.number("memory.capacity")
    known = [f"**{model}**" if model else "", f"{rk.amount(memory, 'byte')} of memory" if memory else "", system,
             f"Linux {kernel.split()[0]}" if kernel else ""]
    return rk.shown("machine in short", f"{', '.join(filter(None, known))}.")


@rk.finding
def caches(machine):
    cores, l2, l3 = (machine.number(f"processor.{field}") for field in ("cores", "l2", "l3"))
    if not (cores and l2 and l3):
        return rk.unexplained("caches not reported", "Cores, caches and memory as this system reports them")
    each = f"Each of the {cores:g} cores has an L2 cache of {rk.amount(l2, 'byte')}; the L3 cache has {rk.amount(l3, 'byte')}"
    if machine.value("system.guest"):
        return rk.consistent("caches of a guest", f"{each}, as the hypervisor reports them. Two of these cores may in truth be threads of one, and share its caches")
    return rk.shown("caches", each)


@rk.finding
def hypervisor(machine):
    if not machine.value("system.guest"):
        return rk.consistent("no hypervisor", "No hypervisor was seen: what is measured is this machine's own.")
    return rk.shown("guest", "**This is a guest of a hypervisor**, so each value is the guest's. An instruction that the hypervisor emulates, such as "
                    "CPUID, leaves the guest, which takes about a microsecond or more. The last-level cache and the disk are shared with neighbours, and memory may "
                    "be slow when it is touched for the first time.")


@rk.finding
def not_reported(machine):
    unknown = {}
    for field, title, _ in rk.machine_page.listed_fields(machine):
        if machine.value(field) is None:
            unknown.setdefault(rk.machine_page.section_of(field), []).append(title[0].lower() + title[1:])
    if not unknown:
        return rk.shown("all known", "Every value is known here.")
    listed = "\n".join(f"- *{section}*: {', '.join(titles)}." for section, titles in unknown.items())
    return rk.shown("not reported", f"Not reported here:\n\n{listed}")
