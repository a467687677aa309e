/*
 * plot.c - fragment length against artifact size, as an SVG; see codecs.h.
 *
 * The curves come from pieces of one long text, the corpus' Markdown in a row: for each size a
 * piece from several places of it, and the geometric mean of their lengths. The dots are the
 * corpus itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codecs.h"

/* ---- the data ---- */

enum { SIZES = 17, PLACES = 8, SERIES = 4 }; /* sizes 256 to 65,536, two an octave */

typedef struct series {
    const char *label;
    const char *colour;
    const char *width;
    arx_codec codec;
    const arx_assets *assets; /* NULL: not to be drawn */
    double length[SIZES];
} series;

static size_t size_at(size_t i) {
    return (size_t)(256.0 * pow(2.0, (double)i / 2.0) + 0.5);
}

/* The corpus' Markdown in a row, and where its parts begin. */
typedef struct long_text {
    arx_buf text;
    size_t *starts;
    size_t count;
} long_text;

static void long_text_make(long_text *t, const codecs_corpus *corpus) {
    *t = (long_text){.starts = codecs_alloc(corpus->count, sizeof *t->starts)};
    for (size_t i = 0; i < corpus->count; i++) {
        if (corpus->rows[i].kind == ARX_KIND_MARKDOWN) {
            t->starts[t->count++] = t->text.len;
            arx_artifact_body(arx_json_at(arx_json_get(corpus->rows[i].envelope, "artifacts"), 0),
                              &t->text);
            arx_buf_append_str(&t->text, "\n");
        }
    }
    if (t->count < PLACES || arx_buf_result(&t->text) != ARX_OK) {
        codecs_stop("the corpus has too little Markdown to draw from");
    }
}

/* A piece of `size` bytes from a place on, round the end if need be, in whole characters. */
static void long_text_piece(const long_text *t, size_t place, size_t size, arx_buf *piece) {
    size_t at = t->starts[place * t->count / PLACES];
    while (piece->len < size) {
        size_t left = t->text.len - at;
        size_t take = size - piece->len < left ? size - piece->len : left;
        arx_buf_append(piece, t->text.data + at, take);
        if (arx_buf_result(piece) != ARX_OK) {
            codecs_stop("out of memory");
        }
        at = 0;
    }
    while (!arx_text_is_utf8(piece->data, piece->len)) {
        piece->len--;
    }
}

static size_t fragment_length(arx_coder *coder, const series *s, const codecs_row *row) {
    arx_encode_options options;
    arx_encoded encoded;
    arx_error error;
    arx_encode_options_init(&options);
    options.has_codec = true;
    options.codec = s->codec;
    if (arx_encode(coder, s->assets, row->envelope, &options, &encoded, &error) != ARX_CODE_OK) {
        codecs_stop("%.*s", (int)error.message.len, (const char *)error.message.data);
    }
    size_t length = encoded.winner.transport_units;
    arx_encoded_free(&encoded);
    return length;
}

static void measure_series(series *s, const long_text *t) {
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    if (coder == NULL) {
        codecs_stop("out of memory");
    }
    for (size_t i = 0; i < SIZES; i++) {
        double sum = 0;
        for (size_t place = 0; place < PLACES; place++) {
            arx_buf piece;
            codecs_row row;
            arx_buf_init(&piece, 0);
            long_text_piece(t, place, size_at(i), &piece);
            codecs_row_from_text(&row, "report.md", piece.data, piece.len);
            sum += log((double)fragment_length(coder, s, &row));
            codecs_row_free(&row);
            arx_buf_free(&piece);
        }
        s->length[i] = exp(sum / PLACES);
    }
    arx_coder_free(coder);
}

/* ---- the picture ---- */

enum { WIDTH = 860, HEIGHT = 560, LEFT = 76, RIGHT = 836, TOP = 76, BOTTOM = 492 };

static const double min_size = 200;
static const double max_size = 80000;
static const double min_length = 140;
static const double max_length = 52000;

static double x_of(double size) {
    return LEFT + (RIGHT - LEFT) * log(size / min_size) / log(max_size / min_size);
}

static double y_of(double length) {
    return BOTTOM - (BOTTOM - TOP) * log(length / min_length) / log(max_length / min_length);
}

static void draw_frame(FILE *svg) {
    static const struct {
        double size;
        const char *label;
    } columns[] = {{256, "256 B"},   {512, "512 B"},   {1024, "1 KB"},
                   {2048, "2 KB"},   {4096, "4 KB"},   {8192, "8 KB"},
                   {16384, "16 KB"}, {32768, "32 KB"}, {65536, "64 KB"}};
    static const struct {
        double length;
        const char *label;
    } lines[] = {{200, "200"},    {500, "500"},      {1000, "1,000"},   {2000, "2,000"},
                 {5000, "5,000"}, {10000, "10,000"}, {20000, "20,000"}, {50000, "50,000"}};
    fprintf(svg, "<g stroke=\"#e4e7eb\" stroke-width=\"1\">\n");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        double x = x_of(columns[i].size);
        fprintf(svg, "<path d=\"M%.1f %d V%d\"/>\n", x, TOP, BOTTOM);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        fprintf(svg, "<path d=\"M%d %.1f H%d\"/>\n", LEFT, y_of(lines[i].length), RIGHT);
    }
    fprintf(svg, "</g>\n<g class=\"tick\" text-anchor=\"middle\">\n");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        fprintf(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x_of(columns[i].size), BOTTOM + 20,
                columns[i].label);
    }
    fprintf(svg, "</g>\n<g class=\"tick\" text-anchor=\"end\">\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        fprintf(svg, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT - 10, y_of(lines[i].length) + 4,
                lines[i].label);
    }
    fprintf(svg,
            "</g>\n<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#9aa5b1\"/>\n"
            "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">size of the artifact"
            "</text>\n"
            "<text class=\"axis\" transform=\"translate(18 %d) rotate(-90)\" "
            "text-anchor=\"middle\">characters in the fragment</text>\n",
            LEFT, TOP, BOTTOM, RIGHT, (LEFT + RIGHT) / 2, BOTTOM + 46, (TOP + BOTTOM) / 2);
}

static void draw_limit(FILE *svg, double length, const char *label) {
    double y = y_of(length);
    fprintf(svg,
            "<path d=\"M%d %.1f H%d\" stroke=\"#52606d\" stroke-width=\"1.2\" "
            "stroke-dasharray=\"6 4\"/>\n"
            "<text class=\"limit\" x=\"%d\" y=\"%.1f\">%s</text>\n",
            LEFT, y, RIGHT, LEFT + 8, y - 6, label);
}

static void draw_dots(FILE *svg, const codecs_corpus *corpus, const series *s) {
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    if (coder == NULL) {
        codecs_stop("out of memory");
    }
    fprintf(svg, "<g fill=\"%s\" fill-opacity=\"0.28\">\n", s->colour);
    for (size_t i = 0; i < corpus->count; i++) {
        double length = (double)fragment_length(coder, s, &corpus->rows[i]);
        fprintf(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                x_of((double)corpus->rows[i].bytes), y_of(length));
    }
    fprintf(svg, "</g>\n");
    arx_coder_free(coder);
}

static void draw_curve(FILE *svg, const series *s) {
    fprintf(svg,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
            "stroke-linecap=\"round\" d=\"",
            s->colour, s->width);
    for (size_t i = 0; i < SIZES; i++) {
        fprintf(svg, "%s%.1f %.1f", i == 0 ? "M" : " L", x_of((double)size_at(i)),
                y_of(s->length[i]));
    }
    fprintf(svg, "\"/>\n");
}

/* The size, in KB, at which a curve passes a length: log-linear between its points. */
static double size_for(const series *s, double length) {
    size_t i = 1;
    while (i + 1 < SIZES && s->length[i] < length) {
        i++;
    }
    double share = log(length / s->length[i - 1]) / log(s->length[i] / s->length[i - 1]);
    double from = log((double)size_at(i - 1));
    return exp(from + share * (log((double)size_at(i)) - from)) / 1024;
}

static void draw_legend(FILE *svg, const series *all) {
    const int left = RIGHT - 274;
    const int right = RIGHT - 6;
    size_t entries = 0;
    for (size_t i = 0; i < SERIES; i++) {
        entries += all[i].assets != NULL;
    }
    int height = 22 * (int)entries + 62;
    int y = BOTTOM - 10 - height;
    fprintf(svg,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" "
            "fill=\"#ffffff\" stroke=\"#e4e7eb\"/>\n"
            "<text class=\"limit\" x=\"%d\" y=\"%d\" text-anchor=\"end\">fits 2,000"
            "</text>\n",
            left, y, right - left, height, right - 14, y + 21);
    y += 40;
    for (size_t i = 0; i < SERIES; i++) {
        if (all[i].assets == NULL) {
            continue;
        }
        fprintf(svg,
                "<path d=\"M%d %d h26\" stroke=\"%s\" stroke-width=\"%s\" "
                "stroke-linecap=\"round\"/>\n"
                "<text class=\"legend\" x=\"%d\" y=\"%d\">%s</text>\n"
                "<text class=\"legend\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.1f KB</text>\n",
                left + 12, y, all[i].colour, all[i].width, left + 46, y + 4, all[i].label,
                right - 14, y + 4, size_for(&all[i], CODECS_CHAT_UNITS));
        y += 22;
    }
    fprintf(svg,
            "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\" fill-opacity=\"0.5\"/>\n"
            "<text class=\"legend\" x=\"%d\" y=\"%d\">artifacts of the corpus, all "
            "kinds</text>\n",
            left + 25, y, all[SERIES - 1].colour, left + 46, y + 4);
}

void codecs_plot(const codecs_corpus *corpus, const arx_assets *ours, const arx_assets *upstream,
                 const char *path) {
    series all[SERIES] = {
        {.label = "deflate",
         .colour = "#9aa5b1",
         .width = "2.2",
         .codec = ARX_CODEC_DEFLATE,
         .assets = ours},
        {.label = "arx2 (Brotli)",
         .colour = "#d9822b",
         .width = "2.2",
         .codec = ARX_CODEC_ARX2,
         .assets = ours},
        {.label = "arx5, upstream's assets",
         .colour = "#7b5ea7",
         .width = "2.2",
         .codec = ARX_CODEC_ARX5,
         .assets = upstream},
        {.label = "arx5, arxd's assets",
         .colour = "#0b7285",
         .width = "3",
         .codec = ARX_CODEC_ARX5,
         .assets = ours},
    };
    long_text text;
    long_text_make(&text, corpus);
    FILE *svg = fopen(path, "w");
    if (svg == NULL) {
        codecs_stop("cannot write %s", path);
    }
    fprintf(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" role=\"img\" aria-labelledby=\"title\">\n"
        "<title id=\"title\">Characters in a fragment against the size of the artifact, by codec"
        "</title>\n"
        "<style>text{font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
        "fill:#323f4b}.head{font-size:18px;font-weight:600}.sub{font-size:13px;fill:#52606d}"
        ".tick{font-size:12px}.tick text{fill:#52606d}.axis{font-size:13px}"
        ".limit{font-size:12px;fill:#52606d}.legend{font-size:13px}</style>\n"
        "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#fbfcfd\"/>\n"
        "<text class=\"head\" x=\"%d\" y=\"34\">How long a fragment gets</text>\n"
        "<text class=\"sub\" x=\"%d\" y=\"55\">Markdown, in characters as they are after a "
        "chat program has escaped the link; both axes are logarithmic</text>\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, LEFT);
    draw_frame(svg);
    draw_limit(svg, CODECS_BUDGET_UNITS, "8,192: the most that a viewer takes");
    draw_limit(svg, CODECS_CHAT_UNITS, "2,000: a link in Discord");
    draw_dots(svg, corpus, &all[SERIES - 1]);
    for (size_t i = 0; i < SERIES; i++) {
        if (all[i].assets != NULL) {
            measure_series(&all[i], &text);
            draw_curve(svg, &all[i]);
        }
    }
    draw_legend(svg, all);
    fprintf(svg, "</svg>\n");
    if (ferror(svg) != 0 || fclose(svg) != 0) {
        codecs_stop("cannot write %s", path);
    }
    for (size_t i = 0; i < SERIES; i++) {
        if (all[i].assets == NULL) {
            continue;
        }
        printf("%-28s", all[i].label);
        for (size_t k = 0; k < SIZES; k += 2) {
            printf(" %6.0f", all[i].length[k]);
        }
        printf("\n");
    }
    free(text.starts);
    arx_buf_free(&text.text);
}
