package values

import (
	"encoding/binary"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// FuzzTake passes arbitrary payloads with arbitrary sizes to the functions that read fills. They must allocate
// according to the data, never according to the sizes.
func FuzzTake(f *testing.F) {
	f.Add(make([]byte, 16), []byte{2, 1}, uint8(1))
	f.Add([]byte{}, []byte{0, 255, 255, 255, 255, 7}, uint8(2))
	f.Add([]byte{1}, []byte{255, 255, 255, 255, 7, 255, 255, 255, 255, 7, 255, 255, 255, 255, 7}, uint8(3))
	f.Fuzz(func(t *testing.T, payload, sizes []byte, open uint8) {
		fill := wire.SlotFill{Payload: payload}
		for len(sizes) > 0 {
			v, n := binary.Uvarint(sizes)
			if n <= 0 || v > 1<<31-1 || len(fill.Dims) == tensor.MaxRank {
				break
			}
			fill.Dims, sizes = append(fill.Dims, v), sizes[n:]
		}
		dims := []int{3, Open, Open, Open, 2}[open%3 : 2+open%4]
		takes(t, &fill, dims, func(x *tensor.Dense[float32]) error { return TakeDense(x, &fill, dims...) })
		takes(t, &fill, dims, func(x *tensor.Dense[int64]) error { return TakeDense(x, &fill, dims...) })
		takes(t, &fill, dims, func(x *tensor.Dense[uint8]) error { return TakeDense(x, &fill, dims...) })
		var list []wire.PeerID
		if TakePeers(&list, &fill) == nil && len(list)*PeerSize > len(payload) {
			t.Errorf("%d peers in %d bytes", len(list), len(payload))
		}
		var p wire.PeerID
		TakePeer(&p, &fill)
		var one float64
		TakeScalar(&one, &fill)
		var s string
		TakeText(&s, &fill)
	})
}

func takes[T tensor.Element](t *testing.T, fill *wire.SlotFill, dims []int, take func(*tensor.Dense[T]) error) {
	t.Helper()
	var x tensor.Dense[T]
	if take(&x) != nil {
		return
	}
	if len(x.Shape) != len(dims) || len(x.Data)*elementSize[T]() != len(fill.Payload) {
		t.Errorf("%d bytes with sizes %v are %v of %d elements, want %v", len(fill.Payload), fill.Dims, x.Shape, len(x.Data), dims)
	}
}
