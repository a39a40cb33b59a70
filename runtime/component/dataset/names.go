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

// Names are names that arrays do not have: of the classes that labels number, and of the columns of the features.
type Names struct {
	Classes []string `json:"classes,omitempty"`
	Columns []string `json:"columns,omitempty"`
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
		return fmt.Errorf("label %q: want a finite number: the model learns values, not classes", n.Classes[0])
	}
	if f := set.Train.Features(); len(n.Columns) > 0 && !slices.Equal(f.Shape, []int{len(n.Columns)}) {
		return fmt.Errorf("%s: names of %d columns, and the features are %v", NamesFile, len(n.Columns), f)
	}
	set.Names, set.Classes, set.Columns = n.Classes, len(n.Classes), n.Columns
	return nil
}
