"""A search in a file, and its trials as a table."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ucbpe_core.assignment import exclusive
from ucbpe_core.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ucbpe_core.records.files import PathOrFile
    from ucbpe_core.records.schema import Document, Kind
    from ucbpe_core.records.sheets import Columns

    Labels = Sequence[tuple[str, Sequence[str]]]


class Saving(Handle):
    """A search that is kept in a file, whatever it is over."""

    _kind: ClassVar[Kind]

    @exclusive
    def save(self, path: PathOrFile, *, overwrite: bool = False) -> None:
        """Write a JSON file that `load` resumes from: the next picks are identical, bit for bit.

        `docs/experiment.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing
        overwrite : whether to replace whatever file is at the path

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, a file that is not of this search, or one of this search with steps that
            this one lacks: another process has saved there meanwhile. An existing file is then left
            unchanged.
        """
        from ucbpe_core.records import history  # not needed unless something is saved

        history.save(self.document(), path, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathOrFile) -> Self:
        """The search that `save` wrote, by replay of its results; no code in the file is executed.

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated or altered, has another format
            or version, or has invalid content; the message gives the path of the field.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.tell([5, 10], [0.2, 0.7])
        >>> bandit.save("bandit.json")
        >>> (Bandit.load("bandit.json").ask().indices == bandit.ask().indices).all().item()
        True
        """
        from ucbpe_core.records import history

        return cls.resumed(history.read(path))

    @classmethod
    def resumed(cls, document: Document) -> Self:
        """The search of a file that was read by `records.history.read`; errors as `load`."""
        from ucbpe_core.records import files

        with files.building("the file"):
            document.check(cls._kind)
            handle = cls._begun(document)
            handle._become(document.history)
            vars(handle).update(id=document.id, _steps=document.steps)
            return handle

    @exclusive
    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each trial; `docs/experiment.md` describes the columns.

        `path` is as in `save`; `InputError` if it cannot be written.
        """
        from ucbpe_core.records import sheets

        sheets.write(path, self._history, self._table())

    @exclusive
    def to_frame(self) -> pd.DataFrame:
        """The rows and columns of `to_csv` as a pandas table.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.tell([5], [0.2])
        >>> decision = bandit.ask()
        >>> bandit.to_frame()[["state", "candidate", "y"]].values.tolist()
        [['done', 5, 0.2], ['pending', 16, nan], ['pending', 0, nan]]
        """
        from ucbpe_core.records import sheets

        return sheets.frame(self._history, self._table())

    def document(self) -> Document:
        """What `save` writes of this search."""
        from ucbpe_core.records.schema import Document

        record = {"box" if self._kind == "box" else "table": self._record()}
        return Document(self._kind, self.id, self._steps, **record)

    def _table(self) -> Columns:
        from ucbpe_core.records.sheets import Columns

        return Columns(self._points, self._current.candidates.shape[1], *self._columns())

    @abstractmethod
    def _record(self) -> Any:
        """What is searched, as in a file."""

    @classmethod
    @abstractmethod
    def _begun(cls, document: Document) -> Self:
        """A search as the file says, before anything was asked or told."""

    @abstractmethod
    def _columns(self) -> tuple[Sequence[str] | None, Labels]:
        """The names of the inputs, if they have any; name and texts of each label."""
