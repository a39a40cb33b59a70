package peer

import (
	"io"
	"testing"
)

// A peer that reports why it ends does end even if the report has no reader.
func TestLastWords(t *testing.T) {
	t.Parallel() // it waits a few seconds
	_, w := io.Pipe()
	if code := Do(t.Context(), Program{Name: "p"}, []string{"-nonsense"}, io.Discard, w); code != 2 {
		t.Errorf("the code is %d, want 2", code)
	}
}
