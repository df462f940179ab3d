"""The file format of runs and records, the store, a run's seals, and results read back."""

from reckon.records.read_log import digest, entry_path, file_digest, note_read, version_of
from reckon.records.run_files.files import make_folder, write_whole
from reckon.records.run_files.models import (
    FORMAT,
    Attempt,
    InputRecord,
    Measurement,
    Point,
    PredictionRecord,
    Process,
    Quantity,
    Record,
    Run,
)
from reckon.records.run_files.store import (
    METHODS_PREFIX,
    experiment_of,
    experiments,
    find,
    measuring,
    now,
    own_experiments,
    read_measured,
    read_record,
    read_run,
    record_path,
    run_dir,
    run_names,
    runs,
    schema,
    updating,
    write_record,
    write_run,
    writing,
)
