package plan

import (
	"bytes"
	"testing"
)

// TestContent puts parts into a content: what is between them is zero, and they are not copied.
func TestContent(t *testing.T) {
	a, b := []byte{1, 2}, []byte{3}
	var inner, c Content
	inner.Put(0, a)
	inner.Put(2, nil)
	inner.Put(4, b)
	c.Put(1, b)
	c.PutAll(3, &inner)
	c.Extend(10)
	c.Extend(9)
	if got, want := bytes.Join(c.Parts, nil), []byte{0, 3, 0, 1, 2, 0, 0, 3, 0, 0}; !bytes.Equal(got, want) || c.Len != len(want) {
		t.Errorf("%d bytes %v, want %v", c.Len, got, want)
	}
	if a[0] = 9; bytes.Join(c.Parts, nil)[3] != 9 {
		t.Error("a part was copied")
	}
	defer func() {
		if recover() == nil {
			t.Error("a part may overlap others")
		}
	}()
	c.Put(9, b)
}
