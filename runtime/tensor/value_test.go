package tensor

import "testing"

// TestValues checks which types are values.
func TestValues(t *testing.T) {
	for _, v := range []Value{New(Int8, 1), &Sequence{Elem: Int8}, &Optional{Value: New(Int8)}} {
		v.isValue()
	}
}
