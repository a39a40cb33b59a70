// Package recurrent holds the layers that go through a sequence step by step: RNN, GRU and
// LSTM, and the LSTM of quantized weights. Their definitions, which are there to be
// differentiated, are loops.
package recurrent
