package cli

import "testing"

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{
		"4096": 4096, "200MB": 200e6, "200 mb": 200e6, "1.5GiB": 3 << 29, "7B": 7, "2KiB": 2048, "3kb": 3000,
		"": 0, "0": 0, "-1": 0, "MB": 0, "1e30GB": 0, "NaN": 0, "inf": 0, "12 apples": 0, "100Mbit": 0, "10MB/s": 0, // 0: refused
	} {
		var b Bytes
		if err := b.Set(text); b != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %d and %v, want %d", text, b, err, want)
		}
	}
}

func TestRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"100Mbit": 12.5e6, "1Gbit/s": 125e6, "10MB": 10e6, "1.5 KiB": 1536, "7B": 7, "8bit": 1,
		"10": 0, "MB": 0, "-1MB": 0, "1Mbyte": 0, "NaNMB": 0, "": 0, // 0: refused
	} {
		var r Rate
		if err := r.Set(text); r != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %v and %v, want %v", text, r, err, want)
		}
	}
}
