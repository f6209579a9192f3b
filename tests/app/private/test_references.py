"""Messages that ask for the models that they refer to are those of Bokeh."""

from __future__ import annotations

import pytest
from bokeh.core.serialization import DeserializationError, Deserializer, Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.document.models import DocumentModelManager
from bokeh.models import ColumnDataSource, Range1d, Scatter
from bokeh.plotting import figure
from bokeh.server.session import ServerSession

from ucbpe_app.private.references import (
    PATCH,
    PatchDeserializer,
    PatchSerializer,
    Synced,
    refer_on_demand,
)

OWN = DocumentModelManager.synced_references


@pytest.fixture
def changed() -> tuple[Document, list[ModelChangedEvent]]:
    """A document whose models the browser has, and changes that bring it old and new ones."""
    plot = figure()
    plot.scatter([1, 2], [3, 4])
    document = Document()
    document.add_root(plot)
    document.models.flush_synced()
    events: list[ModelChangedEvent] = []
    document.on_change(events.append)
    plot.x_range = Range1d(0, 1)
    plot.y_range = plot.x_range
    plot.renderers[0].data_source.data = {"x": [1.0], "y": [2.0]}
    plot.renderers[0].view = plot.renderers[0].view
    plot.renderers[0].glyph = Scatter(x="x", y="y", tags=[plot.x_range])
    plot.title = "changed"
    return document, events


def test_messages_are_those_of_bokeh(
    changed: tuple[Document, list[ModelChangedEvent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    document, events = changed
    assert len(events) >= 5
    new = set(document.models._new_models)
    assert new
    own = PATCH.patch_doc.create(events).content
    assert not document.models._new_models
    document.models._new_models = new
    monkeypatch.setattr(PATCH, "Serializer", Serializer)
    monkeypatch.setattr(DocumentModelManager, "synced_references", OWN)
    refer_on_demand()
    assert PATCH.Serializer is PatchSerializer
    assert PATCH.patch_doc.create(events).content == own
    assert not document.models._new_models
    for event in events:  # the second time, the browser has all
        text = str(PATCH.patch_doc.create([event]).content)
        assert "'type': 'object'" not in text


def test_the_models_that_the_browser_has(
    changed: tuple[Document, list[ModelChangedEvent]],
) -> None:
    document, _ = changed
    synced = Synced(document.models)
    assert set(synced) == OWN.fget(document.models)
    assert ColumnDataSource() not in synced
    new = next(iter(document.models._new_models))
    assert new not in synced
    assert Serializer(references=synced).has_ref(next(iter(synced)))


def test_a_change_from_the_browser_finds_the_models_of_its_document() -> None:
    document, source = Document(), ColumnDataSource({"x": [1.0]})
    document.add_root(source)
    session = ServerSession("one", document)
    own = Deserializer(list(document.models), setter=session)
    ours = PatchDeserializer(list(document.models), setter=session)
    assert ours.decode(source.ref) is own.decode(source.ref) is source
    late = Range1d()
    document.models[late.id] = late
    assert not ours.has_ref(late)  # it came after the message
    assert not own.has_ref(late)
    ours.decode({"type": "object", "name": "Range1d", "id": "sent"})
    assert document.models.get_by_id("sent") is None
    with pytest.raises(DeserializationError):
        ours.decode({"id": "unknown"})
    assert PatchDeserializer([late]).decode(late.ref) is late
