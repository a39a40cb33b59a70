package tensor

// Take returns n elements of *buf, which grows if it is too small. The contents are arbitrary.
func Take[T Element](buf *[]T, n int) []T {
	*buf = Grow(*buf, n)
	return *buf
}

// Embedded returns the bytes of an embedded file, which must only be read. The linker places them at any address, in small pages. They
// are copied if their address is not aligned for every element type, and unless they are many, if their vectors would cross cache lines
// or a copy is in large pages.
func Embedded(s string) []byte {
	const many = 64 << 20
	b := bytesOfString(s)
	switch {
	case len(b) > many:
		if aligned8(b) {
			return b
		}
	case onLine(b) && inLargePages(len(b)) == 0:
		return b
	}
	c := Aligned(len(b))
	copy(c, b)
	forgo(b)
	return c
}
