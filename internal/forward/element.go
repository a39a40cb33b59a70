package forward

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// setElement sets element i of t to the value in a text. Floats are rounded to the nearest; those below
// float16 are given by their bits: 0x7e.
func setElement(t *tensor.Tensor, i int, text string) error {
	var err error
	switch d := t.Data.(type) {
	case []string:
		d[i], err = strconv.Unquote(text)
	case []bool:
		d[i] = text == "1"
	case []float32:
		var f float64
		f, err = strconv.ParseFloat(text, 32)
		d[i] = float32(f)
	case []float64:
		d[i], err = strconv.ParseFloat(text, 64)
	case []complex64:
		var z complex128
		z, err = strconv.ParseComplex(text, 64)
		d[i] = complex64(z)
	case []complex128:
		d[i], err = strconv.ParseComplex(text, 128)
	default:
		err = setBits(t, i, text)
	}
	if err != nil {
		return fmt.Errorf("element %d: %w", i, err)
	}
	return nil
}

// setBits sets element i of t to the number, or the bits, in a text.
func setBits(t *tensor.Tensor, i int, text string) error {
	hex, isHex := strings.CutPrefix(text, "0x")
	if !isHex && !t.DType.IsInt() {
		f, err := strconv.ParseFloat(text, 64)
		t.SetItem(i, tensor.FromFloat(t.DType, f))
		return err
	}
	bits, err := parseBits(t.DType, text, hex, isHex)
	if err != nil {
		return err
	}
	size := t.DType.Size()
	b := binary.LittleEndian.AppendUint64(nil, bits)[:size]
	tensor.FixOrder(b, t.DType)
	copy(t.Bytes()[i*size:], b)
	return nil
}

func parseBits(d tensor.DType, text, hex string, isHex bool) (uint64, error) {
	switch {
	case isHex:
		return strconv.ParseUint(hex, 16, d.Bits())
	case d.IsSigned():
		n, err := strconv.ParseInt(text, 10, d.Bits())
		return uint64(n), err
	}
	return strconv.ParseUint(text, 10, d.Bits())
}
