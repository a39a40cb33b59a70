package exec

// Memory counts the bytes that a client uses.
type Memory interface {
	Take(bytes int) error // before they are allocated
	Give(bytes int)       // when nobody needs them any more
}

// usage is what one task has taken and not yet given back.
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

// settle changes what is taken to n bytes.
func (u *usage) settle(n int) error {
	if n > u.bytes {
		return u.Take(n - u.bytes)
	}
	u.Give(u.bytes - n)
	u.bytes = n
	return nil
}
