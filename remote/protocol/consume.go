package protocol

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// ErrMalformed is wrapped by all errors about bytes that are not a message.
var ErrMalformed = errors.New("malformed message")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// Consume decodes a message, which must be all of b.
func Consume(b []byte, lim *Limits) (*Message, error) {
	if len(b) > lim.Message {
		return nil, malformed("it has %d bytes, the limit is %d", len(b), lim.Message)
	}
	m := new(Message)
	err := fields(b, func(f field) error { return m.set(f, lim) })
	if err == nil {
		err = m.check(lim)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// field is one field: a number, or bytes.
type field struct {
	number protowire.Number
	wire   protowire.Type
	value  uint64
	bytes  []byte
}

// fields calls f for each field of a message. Those of other encodings are skipped.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed("a field has no number that there is")
		}
		b = b[n:]
		x := field{number: number, wire: wire}
		switch wire {
		case protowire.VarintType:
			x.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			x.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			x.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, wire, b)
		}
		if n < 0 {
			return malformed("field %d ends early", number)
		}
		b = b[n:]
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

func (m *Message) set(f field, lim *Limits) (err error) {
	switch f.number {
	case fieldKind:
		m.Kind = Kind(min(f.value, math.MaxUint8))
	case fieldSeq:
		m.Seq = f.value
	case fieldAck:
		m.Ack = f.value
	case fieldTo:
		m.To = f.value
	case fieldStream:
		m.Stream = uint32(min(f.value, math.MaxUint32))
	case fieldIn:
		m.In, err = numbers("inputs", f.bytes, lim.List)
	case fieldOut:
		m.Out, err = numbers("outputs", f.bytes, lim.List)
	case fieldName:
		m.Name, err = text("name", f.bytes, lim.Name)
	case fieldDomain:
		m.Domain, err = text("domain", f.bytes, lim.Name)
	case fieldVersion:
		m.Version = uint32(min(f.value, math.MaxInt32))
	case fieldAttr:
		err = m.addAttr(f.bytes, lim)
	case fieldBlob:
		if m.Blob = f.bytes; len(m.Blob) > lim.Name {
			err = malformed("a name has %d bytes, the limit is %d", len(m.Blob), lim.Name)
		}
	case fieldAddress:
		m.Address, err = text("address", f.bytes, lim.Name)
	case fieldNumber:
		m.Number = f.value
	case fieldTensor:
		err = m.addType(f.bytes, lim)
	case fieldBytes:
		m.Bytes = f.value
	case fieldFailure:
		m.Failure, err = consumeFailure(f.bytes, lim)
	}
	return err
}

// check checks that the parts of a message are consistent.
func (m *Message) check(lim *Limits) error {
	if m.Bytes > lim.Bytes {
		return malformed("%d bytes follow, the limit is %d", m.Bytes, lim.Bytes)
	}
	if m.Kind == Graph { // no tensors follow
		return nil
	}
	sum := uint64(0)
	for _, t := range m.Tensors {
		if t.Bytes > lim.Bytes-sum {
			return malformed("tensors have more bytes than the limit of %d", lim.Bytes)
		}
		sum += t.Bytes
	}
	if sum != m.Bytes {
		return malformed("%d bytes follow, tensors have %d", m.Bytes, sum)
	}
	return nil
}

func numbers(what string, b []byte, most int) ([]uint64, error) {
	var list []uint64
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, malformed("%s end early", what)
		}
		if b = b[n:]; len(list) == most {
			return nil, malformed("more %s than the limit of %d", what, most)
		}
		list = append(list, v)
	}
	return list, nil
}

func text(what string, b []byte, most int) (string, error) {
	switch {
	case len(b) > most:
		return "", malformed("%s has %d bytes, the limit is %d", what, len(b), most)
	case !utf8.Valid(b):
		return "", malformed("%s is not UTF-8", what)
	}
	return string(b), nil
}

func (m *Message) addAttr(b []byte, lim *Limits) error {
	if len(m.Attrs) == lim.List {
		return malformed("more attributes than the limit of %d", lim.List)
	}
	a, err := consumeAttr(b, lim)
	m.Attrs = append(m.Attrs, a)
	return err
}

func consumeAttr(b []byte, lim *Limits) (Attr, error) {
	var a Attr
	err := fields(b, func(f field) (err error) {
		switch f.number {
		case attrName:
			a.Name, err = text("the name of an attribute", f.bytes, lim.Name)
		case attrInt:
			a.Value = int64(f.value)
		case attrFloat:
			a.Value = math.Float64frombits(f.value)
		case attrString:
			a.Value, err = text("attribute", f.bytes, lim.Message)
		case attrInts:
			a.Value, err = consumeInts(f.bytes, lim)
		case attrFloats:
			a.Value, err = consumeFloats(f.bytes)
		case attrStrings:
			a.Value, err = consumeStrings(f.bytes, lim)
		case attrTensor:
			a.Value, err = consumeTensor(f.bytes)
		}
		return err
	})
	if err == nil && (a.Name == "" || a.Value == nil) {
		err = malformed("attribute %q has no name or no value", a.Name)
	}
	return a, err
}

func consumeInts(b []byte, lim *Limits) ([]int64, error) {
	list, err := numbers("elements of an attribute", b, lim.List)
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out, err
}

func consumeFloats(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, malformed("floats of an attribute end early")
	}
	out := make([]float64, len(b)/8)
	for i := range out {
		v, _ := protowire.ConsumeFixed64(b[8*i:])
		out[i] = math.Float64frombits(v)
	}
	return out, nil
}

func consumeStrings(b []byte, lim *Limits) ([]string, error) {
	out := []string{}
	err := fields(b, func(f field) error {
		if len(out) == lim.List {
			return malformed("more strings in an attribute than the limit of %d", lim.List)
		}
		s, err := text("attribute", f.bytes, lim.Message)
		out = append(out, s)
		return err
	})
	return out, err
}

func consumeTensor(b []byte) (*tensor.Tensor, error) {
	t, _, err := tensorio.DecodeTensor(b)
	if err != nil {
		return nil, malformed("%v", err)
	}
	return t, nil
}

func (m *Message) addType(b []byte, lim *Limits) error {
	if len(m.Tensors) == lim.List {
		return malformed("more tensors than the limit of %d", lim.List)
	}
	var t Type
	err := fields(b, func(f field) error {
		switch f.number {
		case typeDType:
			t.DType = tensor.DType(min(f.value, math.MaxUint8))
		case typeShape:
			shape, err := numbers("axes", f.bytes, tensor.MaxRank)
			if err != nil {
				return err
			}
			return t.setShape(shape)
		case typeBytes:
			t.Bytes = f.value
		}
		return nil
	})
	if err == nil {
		err = t.check()
	}
	m.Tensors = append(m.Tensors, t)
	return err
}

func (t *Type) setShape(shape []uint64) error {
	t.Shape = make([]int, len(shape))
	for i, d := range shape {
		if d > math.MaxInt {
			return malformed("axis %d has %d elements", i, d)
		}
		t.Shape[i] = int(d)
	}
	return nil
}

func consumeFailure(b []byte, lim *Limits) (*Failure, error) {
	var x Failure
	err := fields(b, func(f field) (err error) {
		switch f.number {
		case failureCode:
			x.Code = Code(min(f.value, math.MaxUint8))
		case failureOp:
			x.Op, err = text("the operator of a failure", f.bytes, lim.Name)
		case failureText:
			x.Text, err = text("a failure", f.bytes, lim.Message)
		}
		return err
	})
	return &x, err
}
