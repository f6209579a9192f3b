// Says where in the run we are to what writes the address, see address.js.
function tellPlace(place) {
  window.ucbpePlace = {...window.ucbpePlace, ...place}
  window.dispatchEvent(new Event("ucbpe-place"))
}
