package tensor

import "testing"

// TestSubByteIntegersWrap checks that integers of 2 and 4 bits wrap around.
func TestSubByteIntegersWrap(t *testing.T) {
	for v := int64(-300); v < 300; v++ {
		i4, u4, i2, u2 := ToInt4(v), ToUint4(v), ToInt2(v), ToUint2(v)
		switch {
		case i4 < -8 || i4 > 7 || (v-int64(i4))%16 != 0:
			t.Errorf("ToInt4(%d) = %d", v, i4)
		case u4 > 15 || (v-int64(u4))%16 != 0:
			t.Errorf("ToUint4(%d) = %d", v, u4)
		case i2 < -2 || i2 > 1 || (v-int64(i2))%4 != 0:
			t.Errorf("ToInt2(%d) = %d", v, i2)
		case u2 > 3 || (v-int64(u2))%4 != 0:
			t.Errorf("ToUint2(%d) = %d", v, u2)
		}
	}
}
