package tensor

import "testing"

func TestValues(t *testing.T) {
	for _, v := range []Value{New(Int8, 1), &Sequence{Elem: Int8}, &Optional{Value: New(Int8)}} {
		v.isValue()
	}
}
