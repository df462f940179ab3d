"""Adds twenty quantities, whose names begin with the first argument, to the record cpu/made."""

import sys

from helpers import made_up
from reckon import records

for number in range(20):
    with records.updating("r", "cpu/made") as record:
        name = f"cpu/made/{sys.argv[1]}{number}"
        record.quantities[name] = made_up.single(name, 50, "ns").entry
