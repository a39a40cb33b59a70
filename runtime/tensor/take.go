package tensor

// Take returns n elements of *buf, which grows if it is too small. The contents
// are whatever was there.
func Take[T Element](buf *[]T, n int) []T {
	*buf = Grow(*buf, n)
	return *buf
}

// Embedded is the bytes of an embedded file, which must only be read. The linker puts them anywhere. They are copied if they
// do not stand at an address that every element type accepts, and, unless they are many, if vectors of them would stand
// across cache lines.
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
