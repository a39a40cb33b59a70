package eventtest

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bytesOf returns the bytes that are written in hexadecimal digits.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// record returns a record of a TFRecord file: the length, its masked checksum, the data and its masked checksum. The checksums are
// computed bit by bit from Castagnoli's polynomial.
func record(data []byte) []byte {
	length := []byte{byte(len(data)), byte(len(data) >> 8), 0, 0, 0, 0, 0, 0}
	b := append(length, sumOf(length)...)
	return append(append(b, data...), sumOf(data)...)
}

func sumOf(b []byte) []byte {
	crc := ^uint32(0)
	for _, x := range b {
		crc ^= uint32(x)
		for range 8 {
			low := crc & 1
			if crc >>= 1; low != 0 {
				crc ^= 0x82f63b78
			}
		}
	}
	crc = ^crc
	masked := crc>>15 | crc<<17
	masked += 0xa282ead8
	return []byte{byte(masked), byte(masked >> 8), byte(masked >> 16), byte(masked >> 24)}
}

// The events, written by hand from event.proto and summary.proto.
const (
	version = "09 00 00 00 00 00 00 f8 3f  1a 04 76 65 72 32"                             // wall_time 1.5, file_version "ver2"
	scalar  = "09 00 00 00 00 00 00 00 c0  10 ac 02  2a 0a 0a 08 0a 01 61 15 00 00 20 40" // wall_time -2, step 300, summary: value: tag "a", simple_value 2.5
	restart = "10 ff ff ff ff ff ff ff ff ff 01  3a 02 08 01"                             // step -1, session_log: status START
	histo   = "2a 3c  0a 3a  0a 01 68  2a 35" +                                           // summary: value: tag "h", histo
		"09 00 00 00 00 00 00 f0 bf  11 00 00 00 00 00 00 00 40" + // min -1, max 2
		"32 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 f0 7f" + // bucket_limit 0, +Inf
		"3a 0f 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00" // bucket 1 and less than another
)

const wantText = `event {
  wall_time 1.500000
  file_version "ver2"
}
event {
  wall_time -2.000000
  step 300
  summary {
    value {
      tag "a"
      simple_value 2.5
    }
  }
}
event {
  step -1
  session_log {
    status 1
  }
}
event {
  summary {
    value {
      tag "h"
      histo {
        min -1.000000
        max 2.000000
        bucket_limit [0 +Inf]
        bucket [1]
      }
    }
  }
}
`

// whole has a bucket with one double in place of the fifteen bytes of histo.
var whole = strings.NewReplacer("2a 3c", "2a 35", "0a 3a", "0a 33", "2a 35", "2a 2e", "3a 0f", "3a 08", "f0 3f 00 00 00 00 00 00 00", "f0 3f")

func records(t *testing.T, events ...string) (b []byte) {
	for _, e := range events {
		b = append(b, record(bytesOf(t, e))...)
	}
	return b
}

// TestText reads a file with one event of each kind.
func TestText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	if err := os.WriteFile(file, records(t, version, scalar, restart, whole.Replace(histo)), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := Text(t, file); got != wantText {
		t.Errorf("the text is\n%swant\n%s", got, wantText)
	}
	if got, err := decoded(nil); got != "" || err != nil {
		t.Errorf("an empty file is %q, %v", got, err)
	}
}

// TestDamage: a file with any bit changed is refused, and a file that is cut between two records is the first ones.
func TestDamage(t *testing.T) {
	good := records(t, version, scalar)
	first := len(records(t, version))
	for n := range good {
		if text, err := decoded(good[:n]); (err == nil) != (n == 0 || n == first) || err == nil && strings.Count(text, "event {") != n/first {
			t.Errorf("%d of %d bytes: %q, %v", n, len(good), text, err)
		}
		for bit := range 8 {
			bad := append([]byte{}, good...)
			bad[n] ^= 1 << bit
			if _, err := decoded(bad); err == nil {
				t.Errorf("bit %d of byte %d can be changed", bit, n)
			}
		}
	}
	huge := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, sumOf([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))...)
	if _, err := decoded(append(huge, good...)); err == nil {
		t.Error("a record has more bytes than there are")
	}
}

// TestWrongEvents: records with correct checksums are refused if they are no events that a writer of bbgen may write.
func TestWrongEvents(t *testing.T) {
	for name, event := range map[string]string{
		"an unknown field":            "22 01 00",
		"a cut double":                "09 00 00 00",
		"a cut string":                "1a 04 76",
		"half a tag":                  "80",
		"a step that is a double":     "11 00 00 00 00 00 00 00 00",
		"a time that is a float":      "0d 00 00 00 00",
		"a time that is a string":     "0a 01 00",
		"a summary that is a number":  "28 01",
		"a value with unknown fields": "2a 04 0a 02 18 01",
		"a scalar that is a double":   "2a 0b 0a 09 11 00 00 00 00 00 00 00 00",
		"a bucket with half a double": histo,
		"a value that ends too late":  "2a 02 0a 7f",
	} {
		if text, err := decoded(records(t, version, event)); err == nil || !strings.HasPrefix(err.Error(), "record 1: ") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
