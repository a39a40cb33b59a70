package dsl

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// encoded describes the size of a codec's output: a line through its sizes for few and for many elements. A codec
// with a method EncodedBytes(elements int) int says them; otherwise they are measured. It is nil if v is no codec of
// vectors, or refuses to encode.
func encoded(v reflect.Value) *artifact.Encoded {
	const many = 1 << 20
	if c, ok := pointer(v).(interface{ EncodedBytes(elements int) int }); ok {
		none := c.EncodedBytes(0)
		return &artifact.Encoded{Fixed: none, Each: float64(c.EncodedBytes(many)-none) / many}
	}
	const few, some = 1 << 10, 1 << 16
	low, ok := measured(v, few)
	high, too := measured(v, some)
	if !ok || !too {
		return nil
	}
	each := max(float64(high-low)/(some-few), 0)
	return &artifact.Encoded{Fixed: max(low-int(math.Round(each*few)), 0), Each: each}
}

// measured returns how many bytes a new component with a method Encode makes of a vector. Its elements are normally
// distributed, like those of a change of a model, and always the same.
func measured(v reflect.Value, elements int) (size int, ok bool) {
	c := reflect.ValueOf(pointer(v))
	encode := c.MethodByName("Encode")
	if !encode.IsValid() {
		return 0, false
	}
	defer func() { // the author's code may need what only a peer has
		if recover() != nil {
			size, ok = 0, false
		}
	}()
	if open := c.MethodByName("Open"); open.IsValid() && open.Type().NumIn() == 1 && failed(open.Call([]reflect.Value{reflect.Zero(open.Type().In(0))})) {
		return 0, false
	}
	x := tensor.DenseOf(make([]float32, elements), elements)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	switch f := encode.Interface().(type) {
	case func(tensor.Dense[float32]) (tensor.Dense[uint8], error):
		return bytesOf(f(x))
	case func(context.Context, tensor.Dense[float32]) (tensor.Dense[uint8], error):
		return bytesOf(f(context.Background(), x))
	}
	return 0, false
}

func bytesOf(b tensor.Dense[uint8], err error) (size int, ok bool) { return len(b.Data), err == nil }

// failed reports whether the last result of a call is an error.
func failed(results []reflect.Value) bool {
	return len(results) > 0 && !results[len(results)-1].IsZero()
}

// noise describes the noise that a component with a method Privacy adds: the method with the noisy result,
// the standard deviation for each unit that one peer can change, and the probability that a peer takes part.
// It is nil if v has no such method.
func noise(v reflect.Value) *artifact.Noise {
	c, ok := pointer(v).(interface {
		Privacy() (method string, noise, sampling float64)
	})
	if !ok {
		return nil
	}
	method, noise, sampling := c.Privacy()
	return &artifact.Noise{Method: method, Multiple: noise, Sampling: sampling}
}

// sampling returns the probability with which a selector draws each peer, from its method Sampling; 0 if it has
// none.
func sampling(v reflect.Value) float64 {
	if c, ok := pointer(v).(interface{ Sampling() float64 }); ok {
		return c.Sampling()
	}
	return 0
}

// operators returns the operators of an engine, from its method Operators, in alphabetical order; nil if it has none.
func operators(v reflect.Value) []string {
	if c, ok := pointer(v).(interface{ Operators() []string }); ok {
		return slices.Sorted(slices.Values(c.Operators()))
	}
	return nil
}

// pointer returns a pointer to a copy of a value, so that methods with pointer receivers can be called, too.
func pointer(v reflect.Value) any {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}
