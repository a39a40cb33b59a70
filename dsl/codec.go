package dsl

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Codec sends a float32 tensor in fewer bits: as "float16" or "bfloat16", or as "int8", which stores each
// element in eight bits relative to the largest one.
func Codec(name string) EdgeOption {
	return func(e *edge) {
		switch name {
		case "float16":
			e.use(castCodec{tensor.Float16})
		case "bfloat16":
			e.use(castCodec{tensor.BFloat16})
		case "int8":
			e.use(int8Codec{})
		default:
			e.err = fmt.Errorf("there is no codec %q; there are float16, bfloat16 and int8, and Through for one of your own", name)
		}
	}
}

// Through sends a tensor encoded by the codec in a slot. The receiving peers must have the same slot.
func Through(s CodecSlot) EdgeOption { return func(e *edge) { e.use(slotCodec{s}) } }

func (e *edge) use(c codec) {
	if e.codec != nil {
		e.err = errors.New("two codecs for one edge")
	}
	e.codec = c
}

type castCodec struct{ elem tensor.DType }

func (c castCodec) name() string                   { return c.elem.String() }
func (c castCodec) encode(g *Graph, x Value) Value { return g.Cast(x, c.elem) }
func (c castCodec) decode(g *Graph, x Value, as ir.Type) Value {
	return g.Cast(x, as.Elem)
}
func (c castCodec) wire(_ *recorder, as, _ ir.Type) ir.Type { return ofElem(as, c.elem) }

func ofElem(t ir.Type, elem tensor.DType) ir.Type {
	t.Elem = elem
	return t
}

// int8Codec sends x as the integers nearest to x/scale, together with scale, the largest absolute value in x
// divided by 127.
type int8Codec struct{}

func (int8Codec) name() string { return "int8" }

func (int8Codec) encode(g *Graph, x Value) Value {
	scale := g.Div(g.ReduceMax(g.Abs(x)), g.Scalar(x, 127))
	safe := g.Max(scale, g.Scalar(x, 1e-30))
	return g.Bundle(g.Cast(g.Round(g.Div(x, safe)), tensor.Int8), safe)
}

func (int8Codec) decode(g *Graph, x Value, as ir.Type) Value {
	parts := g.Unbundle(x)
	if len(parts) != 2 {
		return parts[0]
	}
	return g.Mul(g.Cast(parts[0], as.Elem), parts[1])
}

func (int8Codec) wire(_ *recorder, as, _ ir.Type) ir.Type {
	return bundleType(ofElem(as, tensor.Int8), ir.TensorOf(tensor.Float32))
}

type slotCodec struct{ slot CodecSlot }

func (c slotCodec) name() string                   { return "slot " + c.slot.Name }
func (c slotCodec) encode(g *Graph, x Value) Value { return c.slot.Encode(g, x) }
func (c slotCodec) decode(g *Graph, x Value, as ir.Type) Value {
	return c.slot.decodeAs(g, x, as)
}

// wire replaces variable sizes of the encoded type by symbols of the receiver.
func (c slotCodec) wire(r *recorder, _, sent ir.Type) ir.Type {
	if sent.Kind != ir.Tensor || !sent.Ranked {
		return sent
	}
	shape := make([]ir.Dim, len(sent.Shape))
	for i, d := range sent.Shape {
		if shape[i] = d; len(d.Terms()) > 0 {
			if _, ok := d.Const(); !ok {
				shape[i] = r.symbol("n")
			}
		}
	}
	return ir.TensorOf(sent.Elem, shape...)
}
