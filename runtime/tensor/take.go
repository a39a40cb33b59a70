package tensor

// Take returns n elements of *buf, which grows if it is too small. The contents are arbitrary.
func Take[T Element](buf *[]T, n int) []T {
	*buf = Grow(*buf, n)
	return *buf
}

// Embedded returns the bytes of an embedded file, which must only be read. The linker places them at any
// address. They are copied if their address is not aligned for every element type and, unless they are many, if
// their vectors would cross cache lines.
func Embedded(s string) []byte {
	const many = 64 << 20
	b := bytesOfString(s)
	if onLine(b) || len(b) > many && aligned8(b) {
		return b
	}
	c := Aligned(len(b))
	copy(c, b)
	return c
}
