package peak

import (
	"math"
	"testing"
)

// TestTilesMultiplyData checks that the peak of tiles is one of products of data, which take more power than zeros.
func TestTilesMultiplyData(t *testing.T) {
	const steps = 2
	for _, halves := range []bool{false, true} {
		if Tiles(halves, 1, 1) == 0 {
			t.Skip("the processor has no tiles")
		}
		d := randomTiles(halves)
		if halves {
			tilesAMXBF16(wholeTiles(), d, steps)
		} else {
			tilesAMX(wholeTiles(), d, steps)
		}
		for i, row := range d.sums {
			for j, sum := range row {
				got, want := float64(int32(sum)), product(d, halves, i, j)*steps
				if halves {
					got = float64(math.Float32frombits(sum))
				}
				if math.Abs(got-want) > 1e-3 {
					t.Fatalf("halves %v: the sum at %d, %d is %v, want %v", halves, i, j, got, want)
				}
			}
		}
	}
}

// TestRandomTiles: the operands of both kinds are data, not zeros; those in bfloat16 are of magnitude 1 to 2, so that no sum is
// denormal or infinite. The layout is that of whole tiles.
func TestRandomTiles(t *testing.T) {
	seen := map[byte]bool{}
	for _, tile := range randomTiles(false).operands {
		for _, x := range tile {
			seen[x] = true
		}
	}
	if len(seen) < 200 { // of 256, by 4096 draws
		t.Errorf("the bytes have only %d values", len(seen))
	}
	signs := map[bool]int{}
	for _, tile := range randomTiles(true).operands {
		for i := 0; i < len(tile); i += 2 {
			x := half(tile[i], tile[i+1])
			if !(math.Abs(x) >= 1 && math.Abs(x) < 2) {
				t.Fatalf("%v is an operand", x)
			}
			signs[x < 0]++
		}
	}
	if len(signs) != 2 {
		t.Errorf("all operands have the same sign")
	}
	c := wholeTiles()
	for i := range c.rows {
		if whole := i < 8; c.palette != 1 || (c.bytes[i] == 64) != whole || (c.rows[i] == 16) != whole {
			t.Errorf("tile %d of palette %d has %d rows of %d bytes", i, c.palette, c.rows[i], c.bytes[i])
		}
	}
}

// product returns an element of the product of the first tile of rows and the first one of columns.
func product(d *tileData, halves bool, i, j int) (sum float64) {
	rows, columns := d.operands[0][64*i:], d.operands[2][4*j:]
	for k := range 64 {
		a, b := rows[k], columns[k/4*64+k%4]
		switch {
		case !halves:
			sum += float64(a) * float64(int8(b))
		case k%2 == 1:
			sum += half(rows[k-1], a) * half(columns[k/4*64+k%4-1], b)
		}
	}
	return sum
}

// half returns a bfloat16.
func half(low, high byte) float64 {
	return float64(math.Float32frombits(uint32(high)<<24 | uint32(low)<<16))
}
