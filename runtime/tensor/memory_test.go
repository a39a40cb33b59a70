package tensor

import "testing"

// Memory is reused when its last reference is released, and not before.
func TestMemoryIsUsedAgain(t *testing.T) {
	const n = 3 << 20
	m := NewMemory(n)
	m.Retain()
	m.Release()
	if other := NewMemory(n); &other.Bytes()[0] == &m.Bytes()[0] {
		t.Fatal("memory is reused while a share in it is held")
	}
	again := false
	for range 100 { // a pool may drop memory
		m := NewMemory(n)
		first := &m.Bytes()[0]
		m.Release()
		m = NewMemory(n - 1000) // of the same class
		again = again || &m.Bytes()[0] == first
		m.Release()
	}
	if !again {
		t.Error("memory is never used again")
	}
	defer func() {
		if recover() == nil {
			t.Error("a share is given back twice")
		}
	}()
	m.Release()
	m.Release()
}

// Memory of any size is reused by Renew for the only reference, and its checksum is dropped.
func TestMemoryIsRenewed(t *testing.T) {
	const n = 1<<maxKept + 1
	m := NewMemory(n)
	m.Sum(m.Bytes(), func([]byte) uint32 { return 1 })
	if again := m.Renew(n); again != m {
		t.Fatal("memory without other shares is replaced instead of kept")
	}
	if got := m.Sum(m.Bytes(), func([]byte) uint32 { return 2 }); got != 2 {
		t.Error("the sum of an earlier value is that of a later one")
	}
	m.Retain()
	other := m.Renew(n)
	if other == m || m.IsShared() {
		t.Error("memory is kept although another share in it is held")
	}
	if other.Renew(n/2) == other || other.shares.Load() != 0 {
		t.Error("memory of another size is renewed")
	}
	if got := (*Memory)(nil).Renew(100); len(got.Bytes()) != 100 {
		t.Errorf("%d bytes take the place of none, want 100", len(got.Bytes()))
	}
}

// TestMemoryClasses checks the sizes in which released memory is kept.
func TestMemoryClasses(t *testing.T) {
	last := -1
	for n := 1; n < 40<<20; n += n/100 + 1 {
		class, size := classOf(n)
		switch {
		case size < n || class >= 0 && size > n+n/8:
			t.Errorf("%d bytes are held for %d", size, n)
		case class >= len(released) || class < 0 != (n < 1<<minKept || n > 1<<maxKept):
			t.Errorf("%d bytes are of class %d", n, class)
		case class >= 0:
			if again, same := classOf(size); again != class || same != size {
				t.Errorf("%d bytes are of class %d, as many as it has of class %d", n, class, again)
			}
			if class < last {
				t.Errorf("%d bytes are of class %d, fewer of class %d", n, class, last)
			}
			last = class
		}
	}
	if len(NewMemory(0).Bytes()) != 0 {
		t.Error("no bytes are some")
	}
}

// A Dense holds a reference to a value that it shares; its copies hold none.
func TestDenseShares(t *testing.T) {
	m := NewMemory(Large)
	x := DenseIn(m, View[float32](m.Bytes(), 0, 10), 10)
	var d, e Dense[float32]
	d.Share(x) // 2
	c := d
	c.Reset()
	if got := m.shares.Load(); got != 2 {
		t.Errorf("%d shares after a copy is gone, want 2", got)
	}
	e.Share(d)                         // 3
	d.Share(d)                         // as before
	d.Set(DenseOf([]float32{1, 2, 3})) // 2
	if e.Memory() != m || d.Memory() != nil || e.Len() != 10 {
		t.Error("the wrong tensor holds a share")
	}
	if got := m.shares.Load(); got != 2 {
		t.Errorf("%d shares, want 2: the creator's and the tensor's", got)
	}
	e.Tensor() // the duration of its use is unknown
	e.Reset()
	m.Release()
	if got := m.shares.Load(); got != 1 {
		t.Errorf("%d shares after a tensor was made, want one that stays", got)
	}
}

// A large value that is made anew does not overwrite the previous one while that has readers.
func TestMakeLeavesWhatIsShared(t *testing.T) {
	const n = Large / 4
	var d, e Dense[float32]
	d.Make(n)
	d.Data[0] = 1
	e.Share(d)
	d.Make(n)
	if d.Data[0] = 2; e.Data[0] != 1 {
		t.Error("the value before is written over")
	}
	m := d.Memory()
	d.Make(3)
	if m.shares.Load() != 0 || d.Memory() != nil || d.Len() != 3 {
		t.Errorf("%d shares are left when the value is a small one", m.shares.Load())
	}
}

// A small value that is made after a large one does not overwrite the elements of the large one, which others may have.
func TestMakeLeavesWhatIsBorrowed(t *testing.T) {
	x := DenseOf(make([]float32, Large), Large)
	var d Dense[float32]
	d.Share(x)
	d.Make(3)
	if d.Data[0] = 2; x.Data[0] != 0 || d.Len() != 3 {
		t.Errorf("%d elements are made, and the value before begins with %v, want 0", d.Len(), x.Data[0])
	}
}

// A checksum is computed once for the same bytes, and again for other bytes.
func TestMemorySum(t *testing.T) {
	m, taken := NewMemory(100), 0
	take := func(b []byte) uint32 { taken++; return uint32(len(b)) }
	for _, want := range []int{100, 100, 50, 50, 100} {
		if got := m.Sum(m.Bytes()[:want], take); got != uint32(want) {
			t.Errorf("got the sum of %d bytes, want that of %d", got, want)
		}
	}
	if taken != 3 {
		t.Errorf("%d sums were taken, want 3", taken)
	}
	m = NewMemory(Large)
	m.Sum(m.Bytes(), take)
	for range 100 {
		m.Release()
		m = NewMemory(Large)
		if got := m.Sum(m.Bytes(), func([]byte) uint32 { return 7 }); got != 7 {
			t.Fatal("the sum of an earlier value is that of a later one")
		}
	}
	if got := (*Memory)(nil).Sum(make([]byte, 3), take); got != 3 {
		t.Errorf("the sum of a nil Memory is %d, want 3", got)
	}
}
