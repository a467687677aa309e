# Fragments do not get longer: the codecs' limits and the committed baseline over the benchmark corpus.
. tests/checks/_tap.sh

check "no artifact of the corpus needs a longer fragment" make -s --no-print-directory bench-codecs
finish
