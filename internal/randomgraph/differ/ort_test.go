package differ

import (
	"errors"
	"testing"
)

// TestONNXRuntime compares some models with ONNX Runtime, if it is installed.
func TestONNXRuntime(t *testing.T) {
	r, err := NewRuntime()
	if errors.Is(err, ErrNoRuntime) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	s := &Search{First: 500, Models: 20, Jobs: 1, Batch: 20, Smaller: smaller, ONNXRuntime: true}
	tally, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tally.Failures {
		t.Error(f)
	}
	if tally.Foreign == 0 {
		t.Error("ONNX Runtime has run nothing")
	}
}
