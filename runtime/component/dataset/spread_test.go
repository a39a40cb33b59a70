package dataset

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestManyWords: a column of very many different words, such as names of lines, is an error, as each word becomes a column.
func TestManyWords(t *testing.T) {
	tensor.SetLimit(1 << 20)
	defer tensor.SetLimit(0)
	var b strings.Builder
	b.WriteString("id,label\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "n%d,%d\n", i, i%2)
	}
	fsys := fstest.MapFS{"a.csv": {Data: []byte(b.String())}}
	_, err := Open(fsys, "a.csv", Options{X: tensor.Float32, Y: tensor.Int64, Categories: []string{"id"}})
	if err == nil || !strings.Contains(err.Error(), "a tensor of shape [1000 1000]") {
		t.Errorf("got %v", err)
	}
}
