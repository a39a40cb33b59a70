package imagedec

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// DefaultMaxPixels is how many pixels an image may have unless [SetMaxPixels] says otherwise: 192 MiB of colors.
const DefaultMaxPixels = 1 << 26

var limit atomic.Int64

// SetMaxPixels lets images have n pixels at most; n < 1 stands for [DefaultMaxPixels]. A run that is given a larger one
// fails. What a damaged file costs is bound by its own size as well, whatever the limit: see [plausible].
func SetMaxPixels(n int) { limit.Store(int64(n)) }

func maxPixels() int {
	if n := limit.Load(); n > 0 {
		return int(n)
	}
	return DefaultMaxPixels
}

var (
	errSize  = errors.New("the image has no pixels")
	errBytes = errors.New("the file has too few bytes for the pixels that it says it has")
)

// limitError is that an image has more pixels than the setting allows.
type limitError struct{ width, height int }

func (e *limitError) Error() string {
	return fmt.Sprintf("an image has %d×%d pixels, more than the limit of %d: make it smaller, or raise the limit (imagedec.SetMaxPixels, or the server's -max-pixels)",
		e.width, e.height, maxPixels())
}

// checkSize reports an image without pixels, with more than a file of so many bytes has at perByte of them in a byte, or
// with more than the setting allows.
func checkSize(width, height, perByte, bytes int) error {
	if width < 1 || height < 1 {
		return errSize
	}
	if err := plausible(area(width, height), perByte, bytes); err != nil {
		return err
	}
	return checkLimit(width, height)
}

func checkLimit(width, height int) error {
	if area(width, height) > maxPixels() {
		return &limitError{width, height}
	}
	return nil
}

// area is the product of two sizes, or the largest number.
func area(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}

// slack is what any file may ask for.
const slack = 1 << 16

// plausible reports an error if a file of so many bytes asks for n of what its format has at most perByte of in a byte. It
// is called before memory is taken and work is done for that: else a file of a few bytes would cost what its header says.
func plausible(n, perByte, bytes int) error {
	if n > slack+area(perByte, bytes) {
		return errBytes
	}
	return nil
}
