package collective

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Codec is the encoding of elements of float32 in messages. Values are encoded when a call begins, sums are
// computed in float32 and encoded once more, and all ranks decode the same bytes, including the rank that
// computed the sum: so all have the same bits.
type Codec uint8

// The codecs.
const (
	Exact Codec = iota // unchanged

	// BFloat16: the upper 16 bits, rounded: 8 bits of precision, and the whole range. A finite value remains finite.
	BFloat16

	// Int8: blocks of 32 elements, 8 bits for each and a common exponent, as in OCP's MXINT8. The error of an
	// element is up to 1/127 of the largest one of its block. A block with an element that is not finite
	// becomes NaN.
	Int8
	numCodecs
)

var codecNames = [numCodecs]string{"exact", "bfloat16", "int8"}

// String returns the codec's name, such as "bfloat16".
func (c Codec) String() string {
	if c < numCodecs {
		return codecNames[c]
	}
	return fmt.Sprintf("Codec(%d)", c)
}

// Codecs returns all codecs.
func Codecs() []Codec { return []Codec{Exact, BFloat16, Int8} }

// The format of a block of Int8: an exponent, followed by the elements.
const (
	block      = 32
	blockBytes = 1 + block

	notFinite = 255 // an exponent, as in OCP's E8M0
)

// unit returns the number of elements that are encoded together, and the size of their encoding in bytes.
func (s *Spec) unit() (elements, bytes int) {
	switch s.Codec {
	case BFloat16:
		return 1, 2
	case Int8:
		return block, blockBytes
	}
	return 1, max(s.Elem.Size(), 1)
}

// units returns the number of rows of a value and the units of each. If each rank has rows of the result,
// rows are encoded separately; otherwise the whole value is one row. The last unit of a row may have fewer
// elements.
func (s *Spec) units(rows, row int) (unitRows, unitRow int) {
	per, _ := s.unit()
	if per > 1 && s.Kind != ReduceScatter {
		rows, row = min(rows*row, 1), rows*row
	}
	return rows, (row + per - 1) / per
}

// sentBytes returns the size of the encoding of a value of n bytes with one row.
func (s *Spec) sentBytes(n int) int {
	_, bytes := s.unit()
	rows, row := s.units(1, n/max(s.Elem.Size(), 1))
	return rows * row * bytes
}

// encode encodes x, which has rows of equal size.
func (s *Spec) encode(x []float32, unitRows int) []byte {
	_, bytes := s.unit()
	if unitRows == 0 {
		return nil
	}
	row := len(x) / unitRows
	_, unitRow := s.units(1, row)
	b := aligned(unitRows * unitRow * bytes)
	for i := range unitRows {
		s.encodeRow(b[i*unitRow*bytes:(i+1)*unitRow*bytes], x[i*row:(i+1)*row])
	}
	return b
}

// encodeRow encodes x into the units of dst. Missing elements of the last unit are 0.
func (s *Spec) encodeRow(dst []byte, x []float32) {
	if s.Codec == BFloat16 {
		to := view[tensor.BF16](dst)
		for i, v := range x {
			to[i] = toBFloat16(v)
		}
		return
	}
	for ; len(x) > 0; dst = dst[blockBytes:] {
		n := min(block, len(x))
		encodeBlock(dst[:blockBytes], x[:n])
		x = x[n:]
	}
}

// toBFloat16 rounds v. No finite value becomes infinite: the largest ones become the largest finite bfloat16, so that a
// rank is not blamed for a value that it does not have.
func toBFloat16(v float32) tensor.BF16 {
	b := tensor.ToBFloat16(v)
	if b&0x7fff == 0x7f80 && v-v == 0 {
		b--
	}
	return b
}

// encodeBlock encodes up to block elements.
func encodeBlock(dst []byte, x []float32) {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&^(1<<31))
	}
	clear(dst)
	e := most >> 23 // the exponent of the largest element
	if e == 255 {
		dst[0] = notFinite
		return
	}
	if e = max(e, 7) - 6; rounded(math.Float32frombits(most)*inverse(e)) > 127 {
		e++
	}
	dst[0] = byte(e)
	by, most8 := inverse(e), float32(127)
	if e > mostScale+1 { // 64 times such a scale is infinite
		most8 = 63
	}
	for i, v := range x {
		dst[1+i] = byte(int8(min(max(rounded(v*by), -most8), most8)))
	}
}

// scaleOf returns 2 to the power of e-127, and inverse its reciprocal.
func scaleOf(e uint32) float32 { return math.Float32frombits(e << 23) }
func inverse(e uint32) float32 { return math.Float32frombits((254 - e) << 23) }

// rounded rounds x to an integer, ties to even. The absolute value of x must be less than 2^22.
func rounded(x float32) float32 {
	const shift = 3 << 22
	return float32(x+shift) - shift
}

// decode is the inverse of encode.
func (s *Spec) decode(dst []float32, b []byte, rows int) {
	if rows == 0 {
		return
	}
	row := len(dst) / rows
	_, unitRow := s.units(1, row)
	_, bytes := s.unit()
	for i := range rows {
		s.decodeRow(dst[i*row:(i+1)*row], b[i*unitRow*bytes:(i+1)*unitRow*bytes])
	}
}

// decoded decodes a result of a number of ranks into new memory.
func (s *Spec) decoded(v Value, ranks int) Value {
	b, n, rows := v.Data, 4*v.Rows*v.Row, 1
	switch {
	case n == 0:
		rows = 0
	case s.Kind == ReduceScatter:
		rows = v.Rows
	case s.Kind == AllGather:
		rows = ranks
	}
	if v.Data, v.Memory = aligned(n), nil; tensor.AreLarge(n) {
		v.Memory = tensor.NewMemory(n)
		v.Data = v.Memory.Bytes()[:n:n]
	}
	s.decode(view[float32](v.Data), b, rows)
	return v
}

func (s *Spec) decodeRow(dst []float32, b []byte) {
	if s.Codec == BFloat16 {
		for i, v := range view[tensor.BF16](b) {
			dst[i] = v.Float32()
		}
		return
	}
	for ; len(dst) > 0; b = b[blockBytes:] {
		n := min(block, len(dst))
		by := blockScale(b)
		for i := range n {
			dst[i] = float32(int8(b[1+i])) * by
		}
		dst = dst[n:]
	}
}

// blockScale returns the scale of a block's elements.
func blockScale(b []byte) float32 {
	if b[0] == notFinite {
		return float32(math.NaN())
	}
	return scaleOf(uint32(b[0]))
}

// mostScale is the largest exponent with which no element overflows.
const mostScale = 247

// finiteBlock reports whether all elements of a block are finite.
func finiteBlock(b []byte) bool {
	by := blockScale(b)
	for _, v := range b[1:blockBytes] {
		if x := float32(int8(v)) * by; x-x != 0 {
			return false
		}
	}
	return true
}

// widenBlocks sets sum to the elements of blocks if they are the first, otherwise adds them.
func widenBlocks(o Op, sum []float32, b []byte, first bool) {
	for ; len(sum) > 0; sum, b = sum[block:], b[blockBytes:] {
		by := blockScale(b)
		for i := range block {
			switch v := float32(int8(b[1+i])) * by; {
			case first:
				sum[i] = v
			case o == Max:
				sum[i] = max(sum[i], v)
			default:
				sum[i] += v
			}
		}
	}
}

// finiteSent reports whether all encoded elements are finite.
func (s *Spec) finiteSent(b []byte) bool {
	switch s.Codec {
	case BFloat16:
		return finite(tensor.BFloat16, b)
	case Int8:
		for ; len(b) >= blockBytes; b = b[blockBytes:] {
			if b[0] > mostScale && !finiteBlock(b) {
				return false
			}
		}
		return true
	}
	return finite(s.Elem, b)
}

// Round rounds elements to the values that a receiver decodes. Sending rounded values does not change them.
func (c Codec) Round(x []float32) {
	if c == Exact {
		return
	}
	s := Spec{Elem: tensor.Float32, Codec: c}
	s.decode(x, s.encode(x, 1), 1)
}

// withFeedback returns x plus lost, the rounding error of the previous value, and sets lost to the rounding
// error of the result.
func (s *Spec) withFeedback(x, lost []float32) []float32 {
	sum := make([]float32, len(x))
	for i, v := range x {
		sum[i] = v + lost[i]
	}
	copy(lost, sum)
	s.Codec.Round(lost)
	for i, v := range sum {
		if lost[i] = v - lost[i]; lost[i]-lost[i] != 0 { // infinities have no rounding error
			lost[i] = 0
		}
	}
	return sum
}

// roundSum adds to a chunk of a sum the rounding error of that chunk in the previous sum.
func (g *Group) roundSum(c *call, ch *chunk) {
	s := &g.streams[c.stream]
	per, _ := c.spec.unit()
	if n := c.whole * per; len(s.sumLost) != n {
		s.sumLost = make([]float32, n)
	}
	copy(ch.wide, c.spec.withFeedback(ch.wide, s.sumLost[ch.lo*per:ch.hi*per]))
}
