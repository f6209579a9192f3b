"""Tables that a person brings: their text, their columns, and what those are for.

table         `Table`: candidates, and what is known of them
roles         what a column is for, guessed or given -> candidates
parse         a text -> a sheet of cells; frames: a frame of pandas -> a sheet
columns       a sheet and its columns; numbers, times, units, row_numbers: what cells and names say
dialect       encoding, separator and decimal mark of a text
workbook      a worksheet of an Excel file as text, by package and worksheet
limits        how much a table may hold
"""
