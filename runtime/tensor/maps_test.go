package tensor

import (
	"fmt"
	"testing"
)

// TestMaps checks the rows of maps with common keys, and their sequence.
func TestMaps(t *testing.T) {
	m := &Maps[string]{Keys: []string{"cat", "dog"}, Values: []float32{1, 2, 3, 4, 5, 6}}
	if m.Len() != 3 || fmt.Sprint(m.Row(1)) != "[3 4]" {
		t.Errorf("got %d maps, the second %v; want 3 and [3 4]", m.Len(), m.Row(1))
	}
	s := m.Sequence()
	last := s.Items[2].(*Map)
	if len(s.Items) != 3 || last.String() != "map(string,float32) of 2" || fmt.Sprint(last.Values.Data) != "[5 6]" {
		t.Errorf("got %d maps, the last %v: %v", len(s.Items), last, last.Values.Data)
	}
	if none := new(Maps[int64]); none.Len() != 0 || len(none.Sequence().Items) != 0 {
		t.Error("the zero Maps is not empty")
	}
}
