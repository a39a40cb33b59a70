package tensor

// I4 is a number from -8 to 7 in a byte of its own. It stores [Int4].
type I4 int8

// U4 is a number from 0 to 15 in a byte of its own. It stores [Uint4].
type U4 uint8

// I2 is a number from -2 to 1 in a byte of its own. It stores [Int2].
type I2 int8

// U2 is a number from 0 to 3 in a byte of its own. It stores [Uint2].
type U2 uint8

// ToInt4 keeps the low four bits of v, the upper of which is the sign.
func ToInt4(v int64) I4 { return I4(v << 60 >> 60) }

// ToUint4 keeps the low four bits of v.
func ToUint4(v int64) U4 { return U4(v & 15) }

// ToInt2 keeps the low two bits of v, the upper of which is the sign.
func ToInt2(v int64) I2 { return I2(v << 62 >> 62) }

// ToUint2 keeps the low two bits of v.
func ToUint2(v int64) U2 { return U2(v & 3) }
