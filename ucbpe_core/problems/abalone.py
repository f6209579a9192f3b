"""Abalone: the age, in rings, of 4177 shellfish by sex, size and weight."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import RBF
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.problems.base import Problem
from ucbpe_core.support.optional import optional

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

FILE_NAME = "abalone.data"
URL = f"https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/{FILE_NAME}"
SHA256 = "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f"
DATA_DIR = "UCBPE_DATA_DIR"
DOWNLOADS = "UCBPE_DOWNLOADS"  # "yes", as in a process without it; anything else forbids downloads

_SEX = {"M": -1.0, "F": 0.0, "I": 1.0}
# The archive gives lengths and weights divided by 200.
_AXES = (
    "sex (M -1, F 0, I 1)",
    "length (200 mm)",
    "diameter (200 mm)",
    "height (200 mm)",
    "whole weight (200 g)",
    "shucked weight (200 g)",
    "viscera weight (200 g)",
    "shell weight (200 g)",
    "rings",
)
_WAYS = (
    f"pass path=, or set {DATA_DIR} to the folder that holds {FILE_NAME}, or do neither and "
    f"connect to the network, so that {URL} can be downloaded"
)

_LOCAL_WAYS = (
    f"set {DATA_DIR} to the folder that holds {FILE_NAME}, or call ucbpe_core.problems.abalone() "
    f"in Python once, which keeps a copy, or start the server with --allow-downloads"
)


def abalone(path: str | os.PathLike[str] | None = None) -> Problem:
    """The 4177 rows of UCI's Abalone table; find the specimen with the most rings (29).

    Eight inputs as the archive gives them, sex coded M, F, I (infant) = -1, 0, 1. Rings are
    counted, so values are whole numbers without noise; a single row has the maximum.

    The table is read from `path`, else from the folder that the environment variable UCBPE_DATA_DIR
    names, else from pooch's cache, to which it is downloaded if missing. The first of these that is
    given is used. In every case the file must have the known SHA-256. Nothing is downloaded where
    the environment variable UCBPE_DOWNLOADS is set and not "yes", as `ucbpe app` does: there, links
    are those of strangers.

    The suggested prior has maximum marginal likelihood on 300 rows (`default_rng(0).choice` without
    replacement, `fit_hyperparameters` with an RBF), rounded; its noise variance stands for the part
    of the age that size and weight do not explain.

    Parameters
    ----------
    path : the file `abalone.data`

    Raises
    ------
    InputError
        If the file is not found, cannot be read or downloaded, or has another hash.

    References
    ----------
    Nash, Sellers, Talbot, Cawthorn and Ford, Abalone, UCI Machine Learning Repository, 1995.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.abalone()
    >>> problem.candidates.shape, problem.optimum
    ((4177, 8), 29.0)
    """
    rows = _read(_locate(path))
    return Problem(
        name="Abalone",
        candidates=rows[:, :-1],
        values=rows[:, -1],
        noise_variance=0.0,
        gp=GaussianProcess(RBF(lengthscale=4.6, variance=2500.0), 4.6, -3.7),
        citation="Nash et al., Abalone, UCI, 1995; as in Contal et al., ECML 2013, section 5.2",
        axes=_AXES,
    )


def download(url: str = URL, folder: str | os.PathLike[str] | None = None) -> Path:
    """The file in `folder` (pooch's cache of this project), fetched from `url` if it is missing.

    A file with another hash is fetched again; a download with another hash is not kept. Where
    downloads are not allowed (see `abalone`), the file that was fetched before.

    Raises
    ------
    InputError
        If the download fails, has another hash, or is not allowed.
    """
    pooch = optional("pooch", "study")

    cache = Path(pooch.os_cache("ucbpe") if folder is None else folder)
    if os.environ.get(DOWNLOADS, "yes") != "yes":
        return _kept(cache / FILE_NAME)
    try:
        return Path(pooch.retrieve(url, f"sha256:{SHA256}", FILE_NAME, cache))
    except OSError as failure:  # requests' exceptions and those of the file system
        got = f"neither, and a download that failed ({type(failure).__name__}: {failure})"
        raise InputError(f"a local {FILE_NAME} or a network", got, _WAYS) from failure
    except ValueError as error:  # what pooch raises for a wrong hash
        raise InputError(f"a download with SHA-256 {SHA256}", str(error), _WAYS) from error


def _kept(path: Path) -> Path:
    """The file of an earlier download."""
    if not path.is_file():
        got = f"none, where downloads are not allowed ({DOWNLOADS})"
        raise InputError(f"{FILE_NAME} on this machine", got, _LOCAL_WAYS)
    return path


def _locate(path: str | os.PathLike[str] | None) -> Path:
    if path is not None:
        return Path(path)
    folder = os.environ.get(DATA_DIR)
    return Path(folder, FILE_NAME) if folder else download()


def _read(path: Path) -> Floats:
    """The table, sex coded, shape (4177, 9)."""
    try:
        content = path.read_bytes()
    except OSError as failure:
        raise InputError(f"{FILE_NAME} at {path}", type(failure).__name__, _WAYS) from failure
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise InputError(
            f"{path} with SHA-256 {SHA256}",
            f"{len(content)} bytes with {found}",
            "replace it by the unchanged file of the archive; " + _WAYS,
        )
    text = io.StringIO(content.decode("ascii"))
    return np.loadtxt(text, delimiter=",", converters={0: _SEX.__getitem__})
