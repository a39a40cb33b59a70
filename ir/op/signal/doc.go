// Package signal holds the operators of sound: Fourier transforms, windows and the mel
// scale.
package signal
