package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// NamesFile is the file with the [Names] of a folder of .npy files. It may be absent.
const NamesFile = "names.json"

// Notes say what was made of a table that its reader may not expect.
type Notes struct {
	LeftOut   int    `json:"left_out,omitempty"`   // the number of lines that were left out because a cell is missing
	LastLabel string `json:"last_label,omitempty"` // the label's column, if it was chosen because it is the last one

	// LabelColumn is the name or number of the label's column, with which it is found again in a table that may have others:
	// "" if a usual name leads to it, or if it is the last one of a table without names.
	LabelColumn string `json:"label_column,omitempty"`
}

// label says which column is the label, for errors, if it was not chosen by its name.
func (n Notes) label() string {
	if n.LastLabel == "" {
		return ""
	}
	return fmt.Sprintf("; the label is the last column, %q, as none is called %s: --label names another", n.LastLabel, "label, class, target or y")
}

// emptied says why a table with lines has no examples.
func (n Notes) emptied() string {
	if n.LeftOut == 0 {
		return ""
	}
	return fmt.Sprintf(": all %d lines lack a value, and --missing drop leaves them out", n.LeftOut)
}

// Names are names that arrays do not have: of the classes that labels number, and of the columns of the features.
type Names struct {
	Classes []string `json:"classes,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Notes
}

// readNames gives a set the names of its folder, if there are any.
func (o *opener) readNames(set *Set) error {
	b, err := fs.ReadFile(o.fsys, NamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var n Names
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", NamesFile, err)
	}
	if len(n.Classes) > 0 && o.Y == tensor.Float32 {
		return fmt.Errorf("label %.60q: want a finite number: the model learns values, not classes", n.Classes[0])
	}
	if f := set.Train.Features(); len(n.Columns) > 0 && !slices.Equal(f.Shape, []int{len(n.Columns)}) {
		return fmt.Errorf("%s: names of %d columns, and the features are %v", NamesFile, len(n.Columns), f)
	}
	set.Names, set.Classes, set.Columns, set.Notes = n.Classes, len(n.Classes), n.Columns, n.Notes
	return nil
}
