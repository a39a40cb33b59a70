package plan

import "fmt"

// Content is the content of a file. Its parts stay where they are until the file is written: a copy of the weights
// of a large model would take as much memory again.
type Content struct {
	Parts [][]byte
	Len   int // bytes of all parts
}

// Put adds a part at byte off, behind all others; what is between is zero.
func (c *Content) Put(off int, b []byte) {
	if off < c.Len {
		panic(fmt.Sprintf("BUG: a part at byte %d of a file that has %d", off, c.Len))
	}
	c.Extend(off)
	c.add(b)
}

// PutAll adds the parts of another content at byte off.
func (c *Content) PutAll(off int, x *Content) {
	c.Extend(off)
	for _, b := range x.Parts {
		c.Put(c.Len, b)
	}
}

// Extend makes the content n bytes long, with zeros at its end. It changes nothing if it is longer.
func (c *Content) Extend(n int) {
	if n > c.Len {
		c.add(make([]byte, n-c.Len))
	}
}

func (c *Content) add(b []byte) {
	if len(b) > 0 {
		c.Parts, c.Len = append(c.Parts, b), c.Len+len(b)
	}
}
