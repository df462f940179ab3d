"""JupyterLab's settings of `make lab`: a notebook is saved as git has it.

The filter of .gitattributes alone is not enough: where a file's size differs, `git status` calls it
modified without asking the filter.
"""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def without_outputs(model, **_):
    """Leave out of a notebook that is saved what tools/strip-notebook leaves out."""
    if model["type"] == "notebook":
        text = json.dumps(model["content"])
        done = subprocess.run(
            [ROOT / "tools" / "strip-notebook"], input=text.encode(), capture_output=True, cwd=ROOT
        )
        if not done.returncode:  # else it is saved as it is
            model["content"] = json.loads(done.stdout)


settings = get_config()
settings.ContentsManager.pre_save_hook = without_outputs
