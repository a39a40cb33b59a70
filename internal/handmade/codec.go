package handmade

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// readFloat64s sets *dst to the elements in b, which must be as many as elements.
func readFloat64s(dst *[]float64, b []byte, elements uint64) error {
	if uint64(len(b)) != 8*elements {
		return fmt.Errorf("got %d bytes, want %d elements of 8", len(b), elements)
	}
	*dst = tensor.Grow(*dst, int(elements))
	tensor.SetRaw(*dst, b)
	return nil
}

// fillFloat64s sets *dst to the elements of a fill.
func fillFloat64s(dst *[]float64, fill *wire.SlotFill) error {
	b, err := values.Payload(fill)
	if err != nil {
		return err
	}
	return readFloat64s(dst, b, fill.Dims[0])
}

// appendVector appends a vector, preceded by its length, for snapshots.
func appendVector(b []byte, x []float64) []byte {
	return append(binary.AppendUvarint(b, uint64(len(x))), tensor.Raw(x)...)
}

func consumeVector(dst *[]float64, b []byte) ([]byte, error) {
	k, n := binary.Uvarint(b)
	if n <= 0 || k > uint64(len(b)-n)/8 {
		return nil, fmt.Errorf("a vector ends early")
	}
	size := int(8 * k)
	return b[n+size:], readFloat64s(dst, b[n:n+size], k)
}

// vector returns the elements of a tensor from the host.
func vector(dst *[]float64, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType != tensor.Float64 {
		return fmt.Errorf("got %v, want float64[n]", v)
	}
	*dst = append((*dst)[:0], tensor.Data[float64](t)...)
	return nil
}

func edge(module, port, class, typ string) (wire.EdgeID, wire.TypeHash) {
	return edgeid.Edge(edgeid.Text(module, port, class, typ)), edgeid.Type(typ)
}
