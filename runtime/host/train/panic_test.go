package train

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// broken is a source of the caller's that indexes beyond its end.
type broken struct{ dataset.DataSource }

func (broken) Batch(indices []int, _, _ *tensor.Tensor) error {
	var none []int
	none[indices[0]]++
	return nil
}

// TestBrokenSource: a panic of a source ends the training with an error, although another goroutine reads the
// source.
func TestBrokenSource(t *testing.T) {
	set := points(100)
	set.Train = broken{set.Train}
	err := Run(t.Context(), program(nil, nil), set, options(t, t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "examples: index out of range") {
		t.Errorf("got %v", err)
	}
}
