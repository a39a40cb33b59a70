package digits

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestPinned tests that the data set does not change, as examples report their accuracy on it.
func TestPinned(t *testing.T) {
	images, labels := Render(1, 200)
	if got, want := hash(images), "3dfa7919a3a116f2"; got != want {
		t.Errorf("images of seed 1 hash to %s, want %s", got, want)
	}
	if got, want := hash(labels), "6bd657d2fa74b540"; got != want {
		t.Errorf("labels of seed 1 hash to %s, want %s", got, want)
	}
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// TestAlone tests that a sample depends neither on earlier samples, nor on the previous content of dst.
func TestAlone(t *testing.T) {
	images, labels := Render(7, 20)
	dst := bytes.Repeat([]byte{0xaa}, Pixels)
	for _, i := range []int{19, 0, 7} {
		label := Sample(7, i, dst)
		if label != labels[i] || !bytes.Equal(dst, images[i*Pixels:(i+1)*Pixels]) {
			t.Errorf("sample %d alone is not the one that Render makes", i)
		}
	}
	if other, _ := Render(8, 20); bytes.Equal(other, images) {
		t.Error("seeds 7 and 8 give the same images")
	}
}

// TestLooks tests that digits roughly look like MNIST's: some ink in the middle, hardly any at the border,
// and each digit about equally often.
func TestLooks(t *testing.T) {
	const n = 2000
	images, labels := Render(3, n)
	var count [10]int
	for i, label := range labels {
		count[label]++
		img := images[i*Pixels:][:Pixels]
		bright, border := 0, 0
		for k, p := range img {
			if p < 100 {
				continue
			}
			bright++
			if x, y := k%Size, k/Size; x == 0 || y == 0 || x == Size-1 || y == Size-1 {
				border++
			}
		}
		if bright < 15 || bright > Pixels*2/5 || border > 3 {
			t.Errorf("sample %d, a %d: %d bright pixels, %d of them at the border", i, label, bright, border)
		}
	}
	for d, c := range count {
		if c < n/10*3/4 || c > n/10*5/4 {
			t.Errorf("digit %d comes %d times in %d", d, c, n)
		}
	}
}

func BenchmarkSample(b *testing.B) {
	dst := make([]byte, Pixels)
	Sample(1, 0, dst) // renders the glyphs
	i := 0
	for b.Loop() {
		Sample(1, i, dst)
		i++
	}
}
