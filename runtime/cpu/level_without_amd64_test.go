//go:build !purego

package cpu

import "testing"

// A processor may have VNNI and no tiles, like Ice Lake: products of bytes are the same.
func TestVNNIWithoutTiles(t *testing.T) {
	if !hasAMX {
		t.Skip("the processor has no tiles of bytes, or the operating system keeps none")
	}
	defer func() { hasAMX = true }()
	hasAMX = false
	defer SetLevel(SetLevel(AVX512))
	if rows := byteRows(amxQuads); rows != vnniRows {
		t.Fatalf("got tiles of %d rows, want %d", rows, vnniRows)
	}
	t.Run("MatMulInteger", TestMatMulIntegerSizes)
	t.Run("QMatMul", TestQMatMul)
	t.Run("convolutions", TestByteConvolutions)
}

// A processor may have tiles where tests run without them: the division of products for tiles is right, with a micro-kernel in Go.
func TestDivisionForTiles(t *testing.T) {
	if bestLevel() != AVX512 || !hasVNNI {
		t.Skip("the processor has no VNNI")
	}
	defer func(tiles, has bool) { tilesOfBytes, hasAMX = tiles, has }(tilesOfBytes, hasAMX)
	tilesOfBytes, hasAMX = false, true
	defer SetLevel(SetLevel(AVX512))
	if rows := byteRows(amxQuads); rows != maxByteRows {
		t.Fatalf("got tiles of %d rows, want %d", rows, maxByteRows)
	}
	t.Run("MatMulInteger", TestMatMulIntegerSizes)
	t.Run("QMatMul", TestQMatMul)
	t.Run("convolutions", TestByteConvolutions)
	t.Run("Winograd", TestQConvWinograd)
}

// A processor may have AVX-512 without the further extensions of some kernels, like Skylake-X: other kernels
// have the same results.
func TestAVX512WithoutMore(t *testing.T) {
	if bestLevel() != AVX512 {
		t.Skip("the processor has no AVX-512")
	}
	for _, has := range []*bool{&hasAMX, &hasAMXBF16, &hasVNNI, &hasVBMI, &hasVAES} {
		defer func(old bool) { *has = old }(*has)
		*has = false
	}
	defer SetLevel(SetLevel(AVX512))
	if rows, speed := byteRows(amxQuads), byteTableSpeed(); rows != maxWordRows || speed != 1 {
		t.Fatalf("got tiles of %d rows, %d bytes looked up in a nanosecond, want %d, 1", rows, speed, maxWordRows)
	}
	for name, test := range map[string]func(*testing.T){
		"MatMulInteger": TestMatMulIntegerSizes, "QMatMul": TestQMatMul, "convolutions": TestByteConvolutions,
		"StoreSums": TestStoreSums, "PackB8": TestPackB8, "ByteTable": TestByteTable,
		"QuantizeBytes": TestQuantizeBytes, "MaxPoolLast8": TestMaxPoolLast8, "Keystream": TestKeystream,
	} {
		t.Run(name, test)
	}
}

// A processor may encrypt one block at a time only: the keystream is the same.
func TestKeystreamWithoutVAES(t *testing.T) {
	for _, has := range []*bool{&hasVAES, &hasVAES256} {
		defer func(old bool) { *has = old }(*has)
		*has = false
	}
	TestKeystream(t)
}
