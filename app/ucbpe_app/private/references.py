"""Undocumented features of Bokeh 3.9 by which a message refers to models that the browser has.

For each message, of either side, Bokeh lists all of them, some 1,500 on a page: a seventh of what a
step takes. Here the document is asked about those that are in the message.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bokeh.document.document
from bokeh.core.serialization import Deserializer, Serializer
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.protocol.messages.patch_doc import patch_doc
from bokeh.server.session import ServerSession

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bokeh.core.types import Ref
    from bokeh.document.document import Setter


# The module: imported from its package, the name is that of its class.
PATCH = sys.modules[patch_doc.__module__]


def refer_on_demand() -> None:
    """Have the messages of this process ask a document for the models that they refer to."""
    DocumentModelManager.synced_references = property(Synced)
    vars(PATCH)["Serializer"] = PatchSerializer
    vars(bokeh.document.document)["Deserializer"] = PatchDeserializer


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


class PatchDeserializer(Deserializer):
    """Bokeh's own, for changes from a session's browser: the models are those of its document."""

    def __init__(
        self, references: Sequence[Model] | None = None, *, setter: Setter | None = None
    ) -> None:
        if references is None or not isinstance(setter, ServerSession):
            super().__init__(references, setter=setter)
            return
        super().__init__(setter=setter)
        self._references = dict(setter.document.models._models)  # those of the message are added
