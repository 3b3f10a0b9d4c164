"""Keeps Snakemake from copying results before each job and back after a failed one. No rule stands here."""

from snakemake import persistence


def not_for_results(method, result):
    """Return a method of Snakemake's backups that does nothing for files of the results folder.

    Snakemake copies `update` outputs before a job (gigabytes, here) and copies them back when it fails: in place, and
    also over what the job has finished. zarpipe's files appear whole, and their record tells what they were made from.
    """

    def wrapped(backups, path):
        return result if path.is_relative_to(PATHS.results) else method(backups, path)

    return wrapped


BACKUPS = getattr(persistence, "FileBackupMixin", None) or persistence.Persistence
for name, result in {"backup_output": None, "restore_output": True, "cleanup_backup": None}.items():
    setattr(BACKUPS, name, not_for_results(getattr(BACKUPS, name), result))
