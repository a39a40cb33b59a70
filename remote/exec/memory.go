package exec

// Memory counts the bytes that a client uses.
type Memory interface {
	Take(bytes int) error // before they are allocated
	Give(bytes int)       // when they are not needed any more
}

// usage is the memory that one task uses.
type usage struct {
	Memory
	bytes int
}

func (u *usage) Take(n int) error {
	if err := u.Memory.Take(n); err != nil {
		return err
	}
	u.bytes += n
	return nil
}

// settle changes the used memory to n bytes.
func (u *usage) settle(n int) error {
	if n > u.bytes {
		return u.Take(n - u.bytes)
	}
	u.Give(u.bytes - n)
	u.bytes = n
	return nil
}
