package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// nbits is the constant operands of a MatMulNBits.
type nbits struct {
	k, n, bits, block int
	weights           []byte
	scales            []float64
	zeros             []byte    // packed like the weights
	zeroFloats        []float64 // or as floats
}

// product returns x times the weights as floats.
func (q *nbits) product(b *ir.Builder, x *ir.Value) *ir.Value {
	return b.Op("MatMul", x, op.CastTo(b, b.Const(q.matrix()), x.Type.Elem))
}

// fourBits returns weights and zero points of 2 bits in 4 bits each. Since a missing zero point is half of the
// range, all are shifted by the difference of these halves.
func (q *nbits) fourBits(b *ir.Builder) (weights, zeros *ir.Value) {
	blocks := q.blocks()
	weights = b.Const(q.widened(q.weights, q.n*blocks, q.block))
	if q.zeros != nil {
		zeros = b.Const(q.widened(q.zeros, q.n, blocks))
	}
	return weights, zeros
}

// widened returns packed rows of n numbers of 2 bits in 4 bits.
func (q *nbits) widened(packed []byte, rows, n int) *tensor.Tensor {
	const half = 8 - 2
	line := (n + 1) / 2
	out := make([]byte, rows*line)
	for i := range rows {
		row := packed[i*q.bytes(n):]
		for j := range n {
			out[i*line+j/2] |= (q.part(row, j) + half) << (j % 2 * 4)
		}
	}
	return tensor.Of(out, len(out))
}

// readBlocks reads the operands of a [MatMulNBits] or a [MatMulPackedNBits].
func readBlocks(n *ir.Node) (*nbits, error) {
	q := &nbits{k: n.Int("K"), n: n.Int("N"), bits: n.Int("bits"), block: n.Int("block_size")}
	if q.bits != 2 && q.bits != 4 && q.bits != 8 {
		return nil, fmt.Errorf("bits is %d, want 2, 4 or 8", q.bits)
	}
	if err := checkBlocks(q.k, q.n, q.block); err != nil {
		return nil, err
	}
	if err := needConst(n, matMulNBitsB, matMulNBitsScales, matMulNBitsZeroPoints); err != nil {
		return nil, err
	}
	blocks := q.blocks()
	var err error
	if q.weights, err = packedBytes(n.In[matMulNBitsB], q.n*blocks*q.bytes(q.block)); err != nil {
		return nil, err
	}
	if q.scales, err = floatList(n.In[matMulNBitsScales], q.n*blocks); err != nil {
		return nil, err
	}
	if z := n.Arg(matMulNBitsZeroPoints); z != nil && z.Type.Elem == tensor.Uint8 {
		q.zeros, err = packedBytes(z, q.n*q.bytes(blocks))
	} else if z != nil {
		q.zeroFloats, err = floatList(z, q.n*blocks)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// checkBlocks returns an error if weights of k×n elements in blocks of the given size cannot be.
func checkBlocks(k, n, block int) error {
	if k < 1 || n < 1 || block < 1 || block > op.MaxSize || k > op.MaxSize/n {
		return fmt.Errorf("sizes are K=%d, N=%d and block_size=%d, want all to be positive, and at most %d weights", k, n, block, op.MaxSize)
	}
	return nil
}

// blocks returns the number of blocks of a column.
func (q *nbits) blocks() int { return (q.k + q.block - 1) / q.block }

// bytes returns the size of n packed numbers in bytes.
func (q *nbits) bytes(n int) int { return (n*q.bits + 7) / 8 }

// matrix returns the weights as k×n floats.
func (q *nbits) matrix() *tensor.Tensor {
	out, blocks := make([]float32, q.k*q.n), q.blocks()
	for col := range q.n {
		for blk := range blocks {
			at := col*blocks + blk
			scale, zero := q.scales[at], q.zero(col, blk, blocks)
			data := q.weights[at*q.bytes(q.block):]
			for i := range min(q.block, q.k-blk*q.block) {
				out[(blk*q.block+i)*q.n+col] = float32((float64(q.part(data, i)) - zero) * scale)
			}
		}
	}
	return tensor.Of(out, q.k, q.n)
}

// part returns number i of a packed row, the lowest bits first.
func (q *nbits) part(row []byte, i int) byte {
	bit := i * q.bits
	return row[bit/8] >> (bit % 8) & byte(1<<q.bits-1)
}

// zero returns the zero point of a block: half of the range if none is given.
func (q *nbits) zero(col, blk, blocks int) float64 {
	switch {
	case q.zeros != nil:
		return float64(q.part(q.zeros[col*q.bytes(blocks):], blk))
	case q.zeroFloats != nil:
		return q.zeroFloats[col*blocks+blk]
	}
	return float64(int(1) << (q.bits - 1))
}

// packedBytes returns the content of a constant of size bytes.
func packedBytes(v *ir.Value, size int) ([]byte, error) {
	if v.Type.Elem != tensor.Uint8 || v.Const.Len() != size {
		return nil, fmt.Errorf("input %q is %s, want %d elements of uint8", v.Name, v.Type, size)
	}
	return tensor.Data[uint8](v.Const), nil
}

// floatList returns the content of a constant of size floats.
func floatList(v *ir.Value, size int) ([]float64, error) {
	out := op.FloatElems(v.Const)
	if len(out) != size {
		return nil, fmt.Errorf("input %q is %s, want %d elements of float32 or float16", v.Name, v.Type, size)
	}
	return out, nil
}
