package collectives

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// value returns the value of a rank for a call of a round: always the same.
func (c *Case) value(call, round, rank int) collective.Value {
	s := &c.Calls[call]
	if s.Spec.Kind == collective.Barrier {
		return collective.Value{Rows: 1, Row: 1}
	}
	shape := rand.New(rand.NewPCG(c.Seed, uint64(call)<<32|uint64(round)))
	v := collective.Value{Rows: shape.IntN(10), Row: shape.IntN(6)}
	if s.Large {
		v.Rows, v.Row = 300+v.Rows, 60
	}
	r := rand.New(rand.NewPCG(c.Seed, uint64(rank)<<40|uint64(call)<<20|uint64(round)))
	n := v.Rows * v.Row
	v.Data = tensor.Raw(make([]uint64, n+1))[:0]
	for range n {
		v.Data = appendElement(v.Data, s.Spec.Elem, r.NormFloat64()*100)
	}
	return v
}

// given returns the value that a rank really gives, including mistakes.
func (c *Case) given(call, round, rank int) collective.Value {
	v := c.value(call, round, rank)
	if m := c.Mistake; m == nil || m.Rank != rank || m.Round != round || m.Call != call {
		return v
	}
	switch c.Mistake.Kind {
	case Resizes:
		v.Rows, v.Row = v.Rows+1, v.Row+1
		v.Data = make([]byte, v.Rows*v.Row*c.Calls[call].Spec.Elem.Size())
	case Diverges:
		if len(v.Data) > 0 {
			binary.LittleEndian.PutUint32(v.Data, math.Float32bits(float32(math.Inf(1))))
		}
	}
	return v
}

func appendElement(b []byte, d tensor.DType, x float64) []byte {
	switch d {
	case tensor.Float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	case tensor.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	case tensor.Float16:
		return binary.LittleEndian.AppendUint16(b, uint16(tensor.ToFloat16(float32(x))))
	case tensor.BFloat16:
		return binary.LittleEndian.AppendUint16(b, uint16(tensor.ToBFloat16(float32(x))))
	case tensor.Int32:
		return binary.LittleEndian.AppendUint32(b, uint32(int32(x)))
	}
	return append(b, byte(int(x)))
}
