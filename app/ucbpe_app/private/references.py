"""Undocumented features of Bokeh 3.9 by which a message refers to models that the browser has.

For each message Bokeh lists all of them, some 1,500 on a page: a tenth of what a step takes. Here
the document is asked about those that are in the message.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bokeh.core.serialization import Serializer
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.protocol.messages.patch_doc import patch_doc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bokeh.core.types import Ref


# The module: imported from its package, the name is that of its class.
PATCH = sys.modules[patch_doc.__module__]


def refer_on_demand() -> None:
    """Have the messages of this process ask a document for the models that they refer to."""
    DocumentModelManager.synced_references = property(Synced)
    vars(PATCH)["Serializer"] = PatchSerializer


@dataclass(frozen=True)
class Synced:
    """The models of a document that the browser has."""

    models: DocumentModelManager

    def __contains__(self, model: Model) -> bool:
        known = self.models._models.get(model.id) is model
        return known and model not in self.models._new_models

    def __iter__(self) -> Iterator[Model]:
        return (model for model in self.models if model in self)


class PatchSerializer(Serializer):
    """Bokeh's own, for changes of a document whose models `references` has."""

    def __init__(self, *, references: Synced, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._synced = references

    def get_ref(self, obj: Any) -> Ref | None:
        """The reference to a model that the browser has, or that is in the message already."""
        if isinstance(obj, Model) and obj in self._synced:
            return obj.ref
        return super().get_ref(obj)

    def has_ref(self, obj: Any) -> bool:
        return self.get_ref(obj) is not None
