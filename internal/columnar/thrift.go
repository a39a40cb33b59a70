package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of Thrift's compact protocol, in which Parquet writes its footer and the headers of pages.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// Limits on a message.
const (
	maxThriftDepth   = 32
	maxThriftStructs = 1 << 20 // elements of lists of structs
)

var errThrift = errors.New("metadata end too early")

// thriftLen returns the length of the struct at the beginning of b. It allocates nothing, and fails if b holds less
// than its lists and strings claim: the library that decodes it allocates what they claim.
func thriftLen(b []byte) (int, error) {
	w := thriftWalk{b: b}
	err := w.object(0)
	return w.at, err
}

// thriftWalk is a position in a message.
type thriftWalk struct {
	b       []byte
	at      int
	structs int // elements of lists of structs so far
}

func (w *thriftWalk) left() int { return len(w.b) - w.at }

func (w *thriftWalk) byte() (byte, error) {
	if w.left() < 1 {
		return 0, errThrift
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *thriftWalk) uint() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.at:])
	if n <= 0 {
		return 0, errThrift
	}
	w.at += n
	return v, nil
}

// skip passes n bytes.
func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(w.left()) {
		return errThrift
	}
	w.at += int(n)
	return nil
}

// object passes a struct.
func (w *thriftWalk) object(depth int) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("metadata are more than %d structs deep", maxThriftDepth)
	}
	for {
		head, err := w.byte()
		if err != nil || head == thriftStop {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := w.uint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value passes a value that is not a field's bool.
func (w *thriftWalk) value(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := w.uint()
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftUUID:
		return w.skip(16)
	case thriftBinary:
		n, err := w.uint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftStruct:
		return w.object(depth + 1)
	}
	return fmt.Errorf("metadata have a value of type %d, which Parquet does not use", kind)
}

// list passes a list or a set.
func (w *thriftWalk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n, kind := uint64(head>>4), head&15
	if n == 15 {
		if n, err = w.uint(); err != nil {
			return err
		}
	}
	if n > uint64(w.left()) { // each element has a byte at least
		return errThrift
	}
	if kind == thriftStruct || kind == thriftList || kind == thriftBinary {
		if w.structs += int(n); w.structs > maxThriftStructs {
			return fmt.Errorf("metadata have more than %d elements", maxThriftStructs)
		}
	}
	for range n {
		if depth > maxThriftDepth {
			return fmt.Errorf("metadata are more than %d lists deep", maxThriftDepth)
		}
		if err := w.value(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}
